package io.headgate.policy.store;

import static io.headgate.policy.store.jooq.Tables.BUDGETS;
import static io.headgate.policy.store.jooq.Tables.DEPARTMENTS;
import static io.headgate.policy.store.jooq.Tables.GROUPS;
import static io.headgate.policy.store.jooq.Tables.RETIRED_TENANTS;
import static io.headgate.policy.store.jooq.Tables.SERVICE_ACCOUNTS;
import static io.headgate.policy.store.jooq.Tables.TENANTS;
import static io.headgate.policy.store.jooq.Tables.USERS;
import static io.headgate.policy.store.jooq.Tables.VAULTS;
import static org.jooq.impl.DSL.noCondition;

import io.headgate.policy.core.identity.Tenant;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.TenantTable;
import io.headgate.policy.store.jooq.tables.records.TenantsRecord;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jooq.DSLContext;

/// Rows of `tenants`.
final class PostgresTenants implements TenantTable {
  private final DSLContext dsl;

  PostgresTenants(DSLContext dsl) {
    this.dsl = dsl;
  }

  @Override
  public Optional<Tenant> find(TenantId id) {
    return dsl.selectFrom(TENANTS)
        .where(TENANTS.TENANT_ID.eq(id.value()))
        .fetchOptional(PostgresTenants::tenant);
  }

  @Override
  public Optional<Tenant> lock(TenantId id) {
    return dsl.selectFrom(TENANTS)
        .where(TENANTS.TENANT_ID.eq(id.value()))
        .forUpdate()
        .fetchOptional(PostgresTenants::tenant);
  }

  @Override
  public List<Tenant> list(Optional<TenantId> after, int limit) {
    return dsl.selectFrom(TENANTS)
        .where(after.map(id -> TENANTS.TENANT_ID.gt(id.value())).orElse(noCondition()))
        .and(TENANTS.TENANT_ID.ne(TenantId.PLATFORM.value()))
        .orderBy(TENANTS.TENANT_ID)
        .limit(limit)
        .fetch(PostgresTenants::tenant);
  }

  @Override
  public boolean insert(Tenant tenant) {
    return dsl.insertInto(TENANTS)
            .set(TENANTS.TENANT_ID, tenant.id().value())
            .set(TENANTS.DISPLAY_NAME, tenant.displayName())
            .set(TENANTS.CREATED_AT, tenant.createdAt())
            .onConflictDoNothing()
            .execute()
        == 1;
  }

  @Override
  public boolean isRetired(TenantId id) {
    return dsl.fetchExists(RETIRED_TENANTS, RETIRED_TENANTS.TENANT_ID.eq(id.value()));
  }

  @Override
  public void delete(TenantId id, Instant at) {
    dsl.insertInto(RETIRED_TENANTS)
        .set(RETIRED_TENANTS.TENANT_ID, id.value())
        .set(RETIRED_TENANTS.RETIRED_AT, at)
        .execute();
    dsl.deleteFrom(VAULTS).where(VAULTS.TENANT_ID.eq(id.value())).execute();
    dsl.deleteFrom(BUDGETS).where(BUDGETS.TENANT_ID.eq(id.value())).execute();
    dsl.deleteFrom(DEPARTMENTS).where(DEPARTMENTS.TENANT_ID.eq(id.value())).execute();
    dsl.deleteFrom(GROUPS).where(GROUPS.TENANT_ID.eq(id.value())).execute();
    dsl.deleteFrom(USERS).where(USERS.TENANT_ID.eq(id.value())).execute();
    dsl.deleteFrom(SERVICE_ACCOUNTS).where(SERVICE_ACCOUNTS.TENANT_ID.eq(id.value())).execute();
    dsl.deleteFrom(TENANTS).where(TENANTS.TENANT_ID.eq(id.value())).execute();
  }

  private static Tenant tenant(TenantsRecord row) {
    return new Tenant(new TenantId(row.getTenantId()), row.getDisplayName(), row.getCreatedAt());
  }
}
