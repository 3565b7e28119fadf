package io.headgate.policy.store;

import static io.headgate.policy.store.jooq.Tables.ACCESS_WATCH;
import static io.headgate.policy.store.jooq.Tables.DELETED_TENANTS;
import static io.headgate.policy.store.jooq.Tables.TENANTS;
import static io.headgate.policy.store.jooq.Tables.USERS;
import static org.jooq.impl.DSL.function;
import static org.jooq.impl.DSL.val;

import io.headgate.kit.position.WatchPosition;
import io.headgate.kit.seal.Seal;
import io.headgate.policy.core.access.AccessDiff;
import io.headgate.policy.core.access.AccessVersion;
import io.headgate.policy.core.access.JointChange;
import io.headgate.policy.core.access.Visibility;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import io.headgate.policy.runtime.port.AccessStep;
import io.headgate.policy.runtime.port.AccessTable;
import io.headgate.policy.store.jooq.tables.records.TenantsRecord;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jooq.DSLContext;

/// The access configurations, and the versions of the watch.
final class PostgresAccess implements AccessTable {
  static final String CHANNEL = "policy_access";

  private final DSLContext dsl;
  private final Seal seal;
  private final LongConsumer watchVersion;
  private final AccessReader reader;

  PostgresAccess(DSLContext dsl, Seal seal, LongConsumer watchVersion) {
    this.dsl = dsl;
    this.seal = seal;
    this.watchVersion = watchVersion;
    this.reader = new AccessReader(dsl, seal);
  }

  @Override
  public AccessVersion get(TenantId tenant) {
    return version(
        dsl.selectFrom(TENANTS).where(TENANTS.TENANT_ID.eq(tenant.value())).fetchSingle());
  }

  @Override
  public void put(AccessVersion next, AccessDiff diff) {
    new AccessRows(dsl, seal, next.tenant()).apply(diff);
    AccessVersion.Change change = next.change().orElseThrow();
    String tenant = next.tenant().value();
    dsl.update(TENANTS)
        .set(TENANTS.ACCESS_VERSION, next.version())
        .set(TENANTS.ACCESS_UPDATED_AT, change.at())
        .set(TENANTS.ACCESS_UPDATED_BY, change.by())
        .set(TENANTS.CHANGE_ID, next.joint().map(JointChange::id).orElse(null))
        .set(
            TENANTS.CHANGE_RESOURCE_VERSION,
            next.joint().map(JointChange::resourceVersion).orElse(null))
        .set(
            TENANTS.CHANGE_ACCESS_VERSION,
            next.joint().map(JointChange::accessVersion).orElse(null))
        .set(TENANTS.VISIBILITY, next.configuration().visibility().name())
        .set(TENANTS.WATCH_VERSION, nextWatchVersion())
        .where(TENANTS.TENANT_ID.eq(tenant))
        .execute();
  }

  @Override
  public Visibility visibility(TenantId tenant) {
    return dsl.select(TENANTS.VISIBILITY)
        .from(TENANTS)
        .where(TENANTS.TENANT_ID.eq(tenant.value()))
        .fetchOptional(row -> Visibility.valueOf(row.value1()))
        .orElse(Visibility.OWN);
  }

  @Override
  public void adminsChanged(TenantId tenant) {
    // A tenant that no watcher ever saw has no jobs.
    if (dsl.fetchExists(
        TENANTS, TENANTS.TENANT_ID.eq(tenant.value()).and(TENANTS.ACCESS_VERSION.gt(0L)))) {
      dsl.update(TENANTS)
          .set(TENANTS.WATCH_VERSION, nextWatchVersion())
          .where(TENANTS.TENANT_ID.eq(tenant.value()))
          .execute();
    }
  }

  @Override
  public void forget(TenantId tenant) {
    if (get(tenant).version() == 0) {
      // No watcher ever saw the tenant.
      return;
    }
    long version = nextWatchVersion();
    dsl.insertInto(DELETED_TENANTS)
        .set(DELETED_TENANTS.TENANT_ID, tenant.value())
        .set(DELETED_TENANTS.WATCH_VERSION, version)
        .execute();
  }

  @Override
  public AccessStep since(WatchPosition watcher) {
    WatchPosition current =
        dsl.selectFrom(ACCESS_WATCH)
            .fetchSingle(
                row -> new WatchPosition(row.getIncarnation().toString(), row.getVersion()));
    boolean snapshot =
        !watcher.incarnation().equals(current.incarnation())
            || watcher.version() == 0
            || watcher.version() > current.version();
    long seen = snapshot ? 0 : watcher.version();
    List<AccessStep.OfTenant> changed =
        dsl.selectFrom(TENANTS)
            .where(TENANTS.WATCH_VERSION.gt(seen))
            .orderBy(TENANTS.TENANT_ID)
            .fetch(row ->
                new AccessStep.OfTenant(version(row), admins(new TenantId(row.getTenantId()))));
    List<TenantId> deleted =
        snapshot
            ? List.of()
            : dsl.select(DELETED_TENANTS.TENANT_ID)
                .from(DELETED_TENANTS)
                .where(DELETED_TENANTS.WATCH_VERSION.gt(seen))
                .orderBy(DELETED_TENANTS.TENANT_ID)
                .fetch(row -> new TenantId(row.value1()));
    return new AccessStep(current, snapshot, changed, deleted);
  }

  @Override
  public List<UserId> admins(TenantId tenant) {
    return dsl.select(USERS.USER_ID)
        .from(USERS)
        .where(USERS.TENANT_ID.eq(tenant.value()), USERS.IS_ADMIN.isTrue())
        .orderBy(USERS.USER_ID)
        .fetch(row -> new UserId(row.value1()));
  }

  /// Locks the watch's row until the end of the transaction, so that versions are committed in
  /// order.
  private long nextWatchVersion() {
    long version =
        dsl.update(ACCESS_WATCH)
            .set(ACCESS_WATCH.VERSION, ACCESS_WATCH.VERSION.plus(1))
            .returningResult(ACCESS_WATCH.VERSION)
            .fetchSingle()
            .value1();
    watchVersion.accept(version);
    // Other instances of the service receive it when this transaction commits.
    dsl.select(function("pg_notify", Object.class, val(CHANNEL), val(Long.toString(version))))
        .execute();
    return version;
  }

  private AccessVersion version(TenantsRecord row) {
    TenantId tenant = new TenantId(row.getTenantId());
    return new AccessVersion(
        tenant,
        row.getAccessVersion(),
        reader.read(tenant, Visibility.valueOf(row.getVisibility())),
        Optional.ofNullable(row.getAccessUpdatedAt())
            .map(at -> new AccessVersion.Change(at, row.getAccessUpdatedBy())),
        Optional.ofNullable(row.getChangeId())
            .map(id ->
                new JointChange(id, row.getChangeResourceVersion(), row.getChangeAccessVersion())));
  }
}
