package io.headgate.sdk.client;

import io.headgate.proto.policy.v1.CreateKeyResponse;
import io.headgate.sdk.model.ClientConfig;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.Identity;
import io.headgate.sdk.model.IssuedKey;
import io.headgate.sdk.wire.Connection;
import io.headgate.sdk.wire.ConnectionListener;
import io.headgate.sdk.wire.IdentityCalls;
import io.headgate.sdk.wire.RightsMessages;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A connection to Headgate. Safe for use by many threads; make one and keep it.
///
/// Every method blocks until there is an answer or the deadline has passed. Meanwhile it retries
/// retriable failures with growing pauses. A failure that remains is a [HeadgateException].
public final class HeadgateClient implements AutoCloseable {
  private final Connection connection;

  private HeadgateClient(Connection connection) {
    this.connection = connection;
  }

  /// Prepares a client; the first call connects.
  public static HeadgateClient connect(ClientConfig config) {
    return connect(config, _ -> {});
  }

  /// As the other overload, for a program without an OpenTelemetry SDK.
  ///
  /// @param environment `System.getenv()`: OpenTelemetry's variables name the receiver of spans
  public static HeadgateClient connect(ClientConfig config, Map<String, String> environment) {
    return new HeadgateClient(Connection.open(config, ConnectionListener.NONE, environment));
  }

  /// As the other overload, and informs the listener of each retry.
  public static HeadgateClient connect(ClientConfig config, Consumer<HeadgateException> onRetry) {
    return new HeadgateClient(
        Connection.open(
            config,
            new ConnectionListener() {
              @Override
              public void retrying(HeadgateException failure) {
                onRetry.accept(failure);
              }
            }));
  }

  /// A client over an existing connection; the command line uses both.
  public static HeadgateClient over(Connection connection) {
    return new HeadgateClient(connection);
  }

  /// Jobs and events of a tenant.
  public JobClient jobs(String tenant) {
    return new JobClient(connection, tenant);
  }

  /// Access to a tenant's pools, nodes, profiles, policies and queues.
  public CatalogClient catalog(String tenant) {
    return new CatalogClient(connection, tenant);
  }

  /// The configuration of a tenant.
  public ConfigurationClient configuration(String tenant) {
    return new ConfigurationClient(connection, tenant);
  }

  public Identity whoAmI() {
    return RightsMessages.identity(new IdentityCalls(connection).whoAmI());
  }

  /// Makes a key.
  ///
  /// @param owner `tenants/acme/users/ada`, `tenants/acme/serviceAccounts/ci`, `operators/root`
  /// @param life time until it expires; null: it works until it is revoked. An owner has at most
  ///   100 valid keys
  public IssuedKey.Made createKey(String owner, String description, @Nullable Duration life) {
    CreateKeyResponse made = new IdentityCalls(connection).createKey(owner, description, life);
    return new IssuedKey.Made(RightsMessages.key(made.getKey()), made.getSecret());
  }

  /// The keys of a tenant that are not revoked, newest first.
  public List<IssuedKey> keys(String tenant) {
    return new IdentityCalls(connection)
        .listKeys(tenant).stream().map(RightsMessages::key).toList();
  }

  /// Revokes a key. Tokens made with it expire within minutes.
  ///
  /// @param name of the key, `keys/…`
  public void revokeKey(String name) {
    new IdentityCalls(connection).revokeKey(name);
  }

  /// Makes a token with which machines join a pool. The server never returns it again.
  public String createJoinToken(String tenant, String pool, int uses) {
    return new IdentityCalls(connection)
        .createJoinToken(tenant, pool, uses, Duration.ofHours(1))
        .getJoinToken();
  }

  @Override
  public void close() {
    connection.close();
  }
}
