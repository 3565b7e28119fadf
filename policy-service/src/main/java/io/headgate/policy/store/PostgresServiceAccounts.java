package io.headgate.policy.store;

import static io.headgate.policy.store.jooq.Tables.GROUP_SERVICE_ACCOUNTS;
import static io.headgate.policy.store.jooq.Tables.SERVICE_ACCOUNTS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.noCondition;

import io.headgate.policy.core.identity.ServiceAccount;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.ServiceAccountId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.ServiceAccountTable;
import io.headgate.policy.store.jooq.tables.records.ServiceAccountsRecord;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jooq.Condition;
import org.jooq.DSLContext;

/// Rows of `service_accounts`.
final class PostgresServiceAccounts implements ServiceAccountTable {
  private final DSLContext dsl;

  PostgresServiceAccounts(DSLContext dsl) {
    this.dsl = dsl;
  }

  @Override
  public Optional<ServiceAccount> find(TenantId tenant, ServiceAccountId id) {
    return dsl.selectFrom(SERVICE_ACCOUNTS)
        .where(is(tenant, id))
        .fetchOptional(PostgresServiceAccounts::account);
  }

  @Override
  public List<ServiceAccount> list(TenantId tenant, Optional<ServiceAccountId> after, int limit) {
    return dsl.selectFrom(SERVICE_ACCOUNTS)
        .where(SERVICE_ACCOUNTS.TENANT_ID.eq(tenant.value()))
        .and(
            after
                .map(id -> SERVICE_ACCOUNTS.SERVICE_ACCOUNT_ID.gt(id.value()))
                .orElse(noCondition()))
        .orderBy(SERVICE_ACCOUNTS.SERVICE_ACCOUNT_ID)
        .limit(limit)
        .fetch(PostgresServiceAccounts::account);
  }

  @Override
  public int count(TenantId tenant) {
    return dsl.fetchCount(SERVICE_ACCOUNTS, SERVICE_ACCOUNTS.TENANT_ID.eq(tenant.value()));
  }

  @Override
  public boolean insert(ServiceAccount account) {
    return dsl.insertInto(SERVICE_ACCOUNTS).set(row(account)).onConflictDoNothing().execute() == 1;
  }

  @Override
  public List<ServiceAccountId> ensure(
      TenantId tenant, Collection<ServiceAccountId> ids, Instant now) {
    String[] asked = ids.stream().map(ServiceAccountId::value).toArray(String[]::new);
    Set<String> known =
        dsl.select(SERVICE_ACCOUNTS.SERVICE_ACCOUNT_ID)
            .from(SERVICE_ACCOUNTS)
            .where(SERVICE_ACCOUNTS.TENANT_ID.eq(tenant.value()))
            .and(SERVICE_ACCOUNTS.SERVICE_ACCOUNT_ID.eq(any(asked)))
            .fetchSet(SERVICE_ACCOUNTS.SERVICE_ACCOUNT_ID);
    List<ServiceAccountId> missing =
        ids.stream().filter(id -> !known.contains(id.value())).sorted().toList();
    dsl.batchInsert(
            missing.stream().map(id -> row(new ServiceAccount(tenant, id, "", now))).toList())
        .execute();
    return missing;
  }

  @Override
  public void update(ServiceAccount account) {
    dsl.update(SERVICE_ACCOUNTS)
        .set(SERVICE_ACCOUNTS.DISPLAY_NAME, account.displayName())
        .where(is(account.tenant(), account.id()))
        .execute();
  }

  @Override
  public void delete(TenantId tenant, ServiceAccountId id) {
    dsl.deleteFrom(SERVICE_ACCOUNTS).where(is(tenant, id)).execute();
  }

  @Override
  public List<GroupId> groups(TenantId tenant, ServiceAccountId id) {
    return dsl.select(GROUP_SERVICE_ACCOUNTS.GROUP_ID)
        .from(GROUP_SERVICE_ACCOUNTS)
        .where(GROUP_SERVICE_ACCOUNTS.TENANT_ID.eq(tenant.value()))
        .and(GROUP_SERVICE_ACCOUNTS.SERVICE_ACCOUNT_ID.eq(id.value()))
        .orderBy(GROUP_SERVICE_ACCOUNTS.GROUP_ID)
        .fetch(row -> new GroupId(row.value1()));
  }

  private static Condition is(TenantId tenant, ServiceAccountId id) {
    return SERVICE_ACCOUNTS
        .TENANT_ID
        .eq(tenant.value())
        .and(SERVICE_ACCOUNTS.SERVICE_ACCOUNT_ID.eq(id.value()));
  }

  private static ServiceAccountsRecord row(ServiceAccount account) {
    return new ServiceAccountsRecord(
        account.tenant().value(), account.id().value(), account.displayName(), account.createdAt());
  }

  private static ServiceAccount account(ServiceAccountsRecord row) {
    return new ServiceAccount(
        new TenantId(row.getTenantId()),
        new ServiceAccountId(row.getServiceAccountId()),
        row.getDisplayName(),
        row.getCreatedAt());
  }
}
