package io.headgate.sdk.cli.frame;

import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.model.ClientConfig;
import io.headgate.sdk.wire.AuditCalls;
import io.headgate.sdk.wire.CatalogCalls;
import io.headgate.sdk.wire.ConfigurationCalls;
import io.headgate.sdk.wire.Connection;
import io.headgate.sdk.wire.ConnectionListener;
import io.headgate.sdk.wire.IdentityCalls;
import io.headgate.sdk.wire.JobCalls;
import io.headgate.sdk.wire.ResourceNames;
import io.headgate.sdk.wire.UsageCalls;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The connection of one command, with its tenant and user.
public final class Session implements AutoCloseable {
  private final Connection connection;
  private final @Nullable String chosenTenant;
  private final String keyFrom;

  /// A session whose connection opens with the first call.
  ///
  /// @param keyFrom source of the key, for messages
  /// @param variables of the command's environment
  Session(
      ClientConfig config,
      @Nullable String chosenTenant,
      String keyFrom,
      ConnectionListener listener,
      Map<String, String> variables) {
    this.connection = Connection.open(config, listener, variables);
    this.chosenTenant = chosenTenant;
    this.keyFrom = keyFrom;
  }

  /// The chosen tenant, or the caller's own.
  public String tenant() {
    if (chosenTenant != null) {
      return chosenTenant;
    }
    String tenant = ResourceNames.tenantOf(subject());
    if (tenant.isEmpty()) {
      throw new UsageException(
          "no tenant was named, and you belong to none",
          "TENANT_MISSING",
          "name one: --tenant ID, or headgate context set --tenant ID");
    }
    return tenant;
  }

  /// Checks that the tenant exists. Commands call it when a list is empty, because other services
  /// return empty lists for unknown tenants.
  ///
  /// @throws io.headgate.sdk.model.HeadgateException TENANT_NOT_FOUND
  public void requireTenant() {
    if (chosenTenant != null) {
      identity().requireTenant(chosenTenant);
    }
  }

  /// The caller according to the token, or else according to the server.
  public String subject() {
    return connection.subject().orElseGet(() -> identity().whoAmI().getSubject());
  }

  /// The last part of the subject, which jobs carry as their user.
  public String user() {
    return ResourceNames.id(subject());
  }

  public JobCalls jobs() {
    return new JobCalls(connection, tenant());
  }

  public CatalogCalls catalog() {
    return new CatalogCalls(connection, tenant());
  }

  public UsageCalls usage() {
    return new UsageCalls(connection, tenant());
  }

  public ConfigurationCalls configuration() {
    return new ConfigurationCalls(connection, tenant());
  }

  public IdentityCalls identity() {
    return new IdentityCalls(connection);
  }

  public AuditCalls audit() {
    return new AuditCalls(connection);
  }

  /// The server's address as users write it.
  public String server() {
    return connection.config().server().toString();
  }

  /// Whether no other machine reaches the server by this address.
  public boolean isLoopback() {
    return connection.config().server().isLoopback();
  }

  /// The source of the key: `HEADGATE_KEY`, `context "local"`.
  public String keyFrom() {
    return keyFrom;
  }

  /// A client over this connection. Closing the session closes it.
  public HeadgateClient client() {
    return HeadgateClient.over(connection);
  }

  @Override
  public void close() {
    connection.close();
  }
}
