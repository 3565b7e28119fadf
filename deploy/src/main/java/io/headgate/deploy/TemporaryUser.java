package io.headgate.deploy;

import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.IssuedKey;
import java.time.Duration;

/// A user who comes with a key of its own and leaves none behind: the key is revoked at the end,
/// and ends by itself where there was no orderly end. An owner may have only so many keys.
public final class TemporaryUser implements AutoCloseable {
  // Longer than anything that a visitor waits for.
  private static final Duration KEY_LIFE = Duration.ofHours(1);

  private final HeadgateClient operator;
  private final IssuedKey key;
  private final HeadgateClient client;

  private TemporaryUser(HeadgateClient operator, IssuedKey key, HeadgateClient client) {
    this.operator = operator;
    this.key = key;
    this.client = client;
  }

  /// Connects as a user.
  ///
  /// @param operator makes the key, and revokes it; stays open longer than the visitor
  public static TemporaryUser enter(
      Installation installation, HeadgateClient operator, String tenant, String user) {
    IssuedKey.Made made =
        operator.createKey("tenants/" + tenant + "/users/" + user, "headgate up", KEY_LIFE);
    return new TemporaryUser(operator, made.key(), installation.connect(made.secret()));
  }

  /// The user's connection.
  public HeadgateClient client() {
    return client;
  }

  @Override
  public void close() {
    client.close();
    try {
      operator.revokeKey(key.name());
    } catch (HeadgateException _) {
      // Ctrl-C ends the services before us, perhaps. Then the key ends by its life.
    }
  }
}
