package io.headgate.policy.store;

import io.headgate.kit.db.RequestLog;
import io.headgate.kit.seal.Seal;
import io.headgate.policy.core.identity.ServiceAccount;
import io.headgate.policy.core.identity.User;
import io.headgate.policy.core.name.ServiceAccountId;
import io.headgate.policy.core.name.UserId;
import io.headgate.policy.runtime.port.AccessTable;
import io.headgate.policy.runtime.port.AccountTable;
import io.headgate.policy.runtime.port.AuditTable;
import io.headgate.policy.runtime.port.ChangeTable;
import io.headgate.policy.runtime.port.JoinTokenTable;
import io.headgate.policy.runtime.port.KeyTable;
import io.headgate.policy.runtime.port.RequestKey;
import io.headgate.policy.runtime.port.RequestTable;
import io.headgate.policy.runtime.port.RevocationTable;
import io.headgate.policy.runtime.port.SigningKeyTable;
import io.headgate.policy.runtime.port.Tables;
import io.headgate.policy.runtime.port.TenantTable;
import java.util.function.Supplier;
import org.jooq.DSLContext;

/// All tables inside of one transaction.
final class PostgresTables implements Tables {
  private final DSLContext dsl;
  private final RequestLog log;
  private final Seal seal;
  private final CommitListener versions;

  /// @param versions receives the versions of the watches that this transaction changes
  PostgresTables(DSLContext dsl, RequestLog log, Seal seal, CommitListener versions) {
    this.dsl = dsl;
    this.log = log;
    this.seal = seal;
    this.versions = versions;
  }

  @Override
  public TenantTable tenants() {
    return new PostgresTenants(dsl);
  }

  @Override
  public AccountTable<UserId, User> users() {
    return PostgresAccounts.users(dsl);
  }

  @Override
  public AccountTable<ServiceAccountId, ServiceAccount> serviceAccounts() {
    return PostgresAccounts.serviceAccounts(dsl);
  }

  @Override
  public AccessTable access() {
    return new PostgresAccess(dsl, seal, versions::access);
  }

  @Override
  public ChangeTable changes() {
    return new PostgresChanges(dsl);
  }

  @Override
  public KeyTable keys() {
    return new PostgresKeys(dsl);
  }

  @Override
  public JoinTokenTable joinTokens() {
    return new PostgresJoinTokens(dsl);
  }

  @Override
  public SigningKeyTable signingKeys() {
    return new PostgresSigningKeys(dsl, seal);
  }

  @Override
  public RevocationTable revocations() {
    return new PostgresRevocations(dsl, versions::revocations);
  }

  @Override
  public AuditTable audit() {
    return new PostgresAudit(dsl);
  }

  @Override
  public RequestTable requests() {
    return (RequestKey request, Supplier<byte[]> change) ->
        log.once(
            dsl,
            RequestLog.Request.of(
                request.caller(), request.method(), request.id(), request.body().get()),
            change);
  }
}
