package io.headgate.deploy;

import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.IssuedKey;
import java.time.Duration;

/// A user with a key for this visit only, because an owner may have only a limited number of keys.
/// The key is revoked at the end of the visit, and expires where a visit has no orderly end.
public final class TemporaryUser implements AutoCloseable {
  // Longer than any visit.
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
  /// @param operator creates and revokes the key; stays open longer than the visitor
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
      // Ctrl-C may have ended the services before this. The key expires then.
    }
  }
}
