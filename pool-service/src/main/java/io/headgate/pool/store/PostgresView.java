package io.headgate.pool.store;

import static io.headgate.pool.store.jooq.Tables.CATALOG;
import static io.headgate.pool.store.jooq.Tables.CATALOG_CHANGES;
import static io.headgate.pool.store.jooq.Tables.CONFIGURATIONS;
import static io.headgate.pool.store.jooq.Tables.DRAFTS;
import static io.headgate.pool.store.jooq.Tables.DRAFT_EDITORS;
import static io.headgate.pool.store.jooq.Tables.ELASTICITIES;
import static io.headgate.pool.store.jooq.Tables.NODES;
import static io.headgate.pool.store.jooq.Tables.POOLS;
import static io.headgate.pool.store.jooq.Tables.PREPARED_CHANGES;
import static io.headgate.pool.store.jooq.Tables.SHARED_POOLS;
import static io.headgate.pool.store.jooq.Tables.VERSIONS;

import io.headgate.kit.position.WatchPosition;
import io.headgate.kit.seal.Seal;
import io.headgate.pool.core.configuration.Configuration;
import io.headgate.pool.core.configuration.Instance;
import io.headgate.pool.core.draft.ConfigurationState;
import io.headgate.pool.core.draft.Draft;
import io.headgate.pool.core.draft.JointChange;
import io.headgate.pool.core.draft.PreparedChange;
import io.headgate.pool.core.draft.Provisioned;
import io.headgate.pool.core.draft.Stamp;
import io.headgate.pool.core.name.NodeId;
import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.TenantId;
import io.headgate.pool.core.node.InventoryBounds;
import io.headgate.pool.core.node.Node;
import io.headgate.pool.runtime.CatalogChange;
import io.headgate.pool.runtime.SupplyView;
import io.headgate.pool.store.jooq.tables.records.PoolsRecord;
import io.headgate.pool.store.jooq.tables.records.VersionsRecord;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/// Reads in one transaction.
final class PostgresView implements SupplyView {
  private static final Condition IN_FORCE =
      CONFIGURATIONS
          .TENANT_ID
          .eq(VERSIONS.TENANT_ID)
          .and(CONFIGURATIONS.VERSION.eq(VERSIONS.VERSION));

  private final DSLContext db;
  private final Seal seal;
  private final NodeTable nodeTable;

  PostgresView(DSLContext db, Seal seal) {
    this.db = db;
    this.seal = seal;
    this.nodeTable = new NodeTable(db);
  }

  @Override
  public ConfigurationState state(TenantId tenant) {
    Provisioned inForce =
        inForceOf(CONFIGURATIONS.TENANT_ID.eq(tenant.value()))
            .getOrDefault(tenant, Provisioned.NOTHING);
    return new ConfigurationState(
        inForce,
        draft(tenant),
        Optional.ofNullable(prepared(List.of(tenant)).get(tenant)),
        shared(tenant));
  }

  /// The view shows the names of shared pools to every tenant, and nothing else of their owner.
  private Set<PoolId> shared(TenantId tenant) {
    return tenant.equals(TenantId.PLATFORM)
        ? Set.of()
        : db.selectFrom(SHARED_POOLS).fetchSet(row -> PoolId.shared(row.getPoolId()));
  }

  @Override
  public Optional<Provisioned> version(TenantId tenant, long version) {
    return db.selectFrom(VERSIONS)
        .where(VERSIONS.TENANT_ID.eq(tenant.value()))
        .and(VERSIONS.VERSION.eq(version))
        .fetchOptional()
        .map(row -> provisioned(row, content(tenant, row.getContentId())));
  }

  @Override
  public List<Provisioned> versions(TenantId tenant, long before, int limit) {
    return db.selectFrom(VERSIONS)
        .where(VERSIONS.TENANT_ID.eq(tenant.value()))
        .and(VERSIONS.VERSION.lt(before))
        .orderBy(VERSIONS.VERSION.desc())
        .limit(limit)
        .fetch(row -> provisioned(row, Configuration.EMPTY));
  }

  @Override
  public boolean migAuto(TenantId tenant, PoolId pool) {
    return db.fetchExists(
        CONFIGURATIONS
            .join(VERSIONS)
            .on(IN_FORCE)
            .join(POOLS)
            .on(POOLS.TENANT_ID.eq(VERSIONS.TENANT_ID))
            .and(POOLS.CONTENT_ID.eq(VERSIONS.CONTENT_ID)),
        CONFIGURATIONS
            .TENANT_ID
            .eq(tenant.value())
            .and(POOLS.POOL_ID.eq(pool.value()))
            .and(POOLS.MIG_AUTO));
  }

  @Override
  public Optional<InventoryBounds.OfPool> bounds(TenantId tenant, PoolId pool) {
    return db.select(POOLS.asterisk(), ELASTICITIES.asterisk())
        .from(CONFIGURATIONS)
        .join(VERSIONS)
        .on(IN_FORCE)
        .join(POOLS)
        .on(POOLS.TENANT_ID.eq(VERSIONS.TENANT_ID))
        .and(POOLS.CONTENT_ID.eq(VERSIONS.CONTENT_ID))
        .leftJoin(ELASTICITIES)
        .on(ELASTICITIES.TENANT_ID.eq(POOLS.TENANT_ID))
        .and(ELASTICITIES.CONTENT_ID.eq(POOLS.CONTENT_ID))
        .and(ELASTICITIES.POOL_ID.eq(POOLS.POOL_ID))
        .where(CONFIGURATIONS.TENANT_ID.eq(tenant.value()))
        .and(POOLS.POOL_ID.eq(pool.value()))
        .fetchOptional()
        .map(row -> {
          PoolsRecord found = row.into(POOLS);
          Optional<Instance> instance =
              row.get(ELASTICITIES.PROVIDER) == null
                  ? InstanceColumns.of(found)
                  : Optional.of(InstanceColumns.of(row.into(ELASTICITIES)));
          return new InventoryBounds.OfPool(
              instance.map(most -> most.most(Optional.ofNullable(found.getGpuModel()))));
        });
  }

  @Override
  public Optional<Node> node(TenantId tenant, NodeId id) {
    return nodeTable.read(NodeTable.is(tenant, id), 1).stream().findFirst();
  }

  @Override
  public List<Node> nodes(TenantId tenant, Optional<NodeId> after, int limit) {
    Condition condition = NODES.TENANT_ID.eq(tenant.value());
    if (after.isPresent()) {
      condition = condition.and(NODES.NODE_ID.gt(after.get().value()));
    }
    return nodeTable.read(condition, limit);
  }

  @Override
  public CatalogRange catalogRange() {
    return db.selectFrom(CATALOG)
        .fetchSingle(row ->
            new CatalogRange(
                new WatchPosition(row.getIncarnation().toString(), row.getVersion()),
                row.getHorizon()));
  }

  @Override
  public List<CatalogChange> changesAfter(long version) {
    return db.selectDistinct(CATALOG_CHANGES.TENANT_ID, CATALOG_CHANGES.NODE_ID)
        .from(CATALOG_CHANGES)
        .where(CATALOG_CHANGES.VERSION.gt(version))
        .orderBy(CATALOG_CHANGES.TENANT_ID, CATALOG_CHANGES.NODE_ID)
        .fetch(row -> {
          TenantId tenant = new TenantId(row.value1());
          return row.value2() == null
              ? new CatalogChange.ConfigurationChange(tenant)
              : new CatalogChange.NodeChange(tenant, new NodeId(row.value2()));
        });
  }

  @Override
  public Map<TenantId, Provisioned> inForce(List<TenantId> tenants) {
    String[] ids = tenants.stream().map(TenantId::value).toArray(String[]::new);
    return inForceOf(CONFIGURATIONS.TENANT_ID.eq(DSL.any(ids)));
  }

  @Override
  public List<Node> nodes(List<CatalogChange.NodeChange> nodes) {
    if (nodes.isEmpty()) {
      return List.of();
    }
    // Two arrays instead of a list of values, which has a size limit.
    String[] tenants = nodes.stream().map(node -> node.tenant().value()).toArray(String[]::new);
    String[] ids = nodes.stream().map(node -> node.node().value()).toArray(String[]::new);
    Condition named =
        DSL.condition(
            "({0}, {1}) in (select * from unnest({2}, {3}))",
            NODES.TENANT_ID, NODES.NODE_ID, DSL.val(tenants), DSL.val(ids));
    return nodeTable.read(named, Integer.MAX_VALUE);
  }

  @Override
  public Map<TenantId, Provisioned> allInForce() {
    return inForceOf(DSL.noCondition());
  }

  @Override
  public List<Node> allNodes() {
    return nodeTable.read(DSL.noCondition(), Integer.MAX_VALUE);
  }

  @Override
  public Map<TenantId, PreparedChange> prepared(List<TenantId> tenants) {
    String[] ids = tenants.stream().map(TenantId::value).toArray(String[]::new);
    return preparedOf(PREPARED_CHANGES.TENANT_ID.eq(DSL.any(ids)));
  }

  @Override
  public Map<TenantId, PreparedChange> allPrepared() {
    return preparedOf(DSL.noCondition());
  }

  /// Few: a change is prepared for milliseconds.
  private Map<TenantId, PreparedChange> preparedOf(Condition condition) {
    Map<TenantId, PreparedChange> prepared = new TreeMap<>();
    db.selectFrom(PREPARED_CHANGES)
        .where(condition)
        .forEach(row -> {
          TenantId tenant = new TenantId(row.getTenantId());
          prepared.put(
              tenant,
              new PreparedChange(
                  row.getChangeId(),
                  row.getBaseVersion(),
                  Optional.ofNullable(row.getContentId())
                      .map(number -> new PreparedChange.Content(number, content(tenant, number))),
                  row.getDraftContent() == null
                      ? OptionalLong.empty()
                      : OptionalLong.of(row.getDraftContent()),
                  new Stamp(row.getPreparedAt(), row.getPreparedBy())));
        });
    return prepared;
  }

  private List<Stamp> editors(TenantId tenant) {
    return db.selectFrom(DRAFT_EDITORS)
        .where(DRAFT_EDITORS.TENANT_ID.eq(tenant.value()))
        .orderBy(DRAFT_EDITORS.EDITED_AT.desc(), DRAFT_EDITORS.SUBJECT)
        .fetch(row -> new Stamp(row.getEditedAt(), row.getSubject()));
  }

  private Optional<Draft> draft(TenantId tenant) {
    return db.selectFrom(DRAFTS)
        .where(DRAFTS.TENANT_ID.eq(tenant.value()))
        .fetchOptional()
        .map(row ->
            new Draft(
                row.getBaseVersion(),
                row.getContentId(),
                content(tenant, row.getContentId()),
                new Stamp(row.getUpdatedAt(), row.getUpdatedBy()),
                editors(tenant)));
  }

  private Configuration content(TenantId tenant, long content) {
    ContentKey key = new ContentKey(tenant.value(), content);
    Configuration found = ContentReader.read(db, seal, key.filter()).get(key);
    if (found == null) {
      throw new IllegalStateException("no content " + key);
    }
    return found;
  }

  private Map<TenantId, Provisioned> inForceOf(Condition tenants) {
    List<VersionsRecord> rows =
        db.select(VERSIONS.fields())
            .from(VERSIONS)
            .join(CONFIGURATIONS)
            .on(IN_FORCE)
            .where(tenants)
            .fetchInto(VERSIONS);
    if (rows.isEmpty()) {
      return Map.of();
    }
    Map<ContentKey, Configuration> contents =
        ContentReader.read(
            db,
            seal,
            (tenant, content) ->
                DSL.row(tenant, content)
                    .in(
                        DSL.select(VERSIONS.TENANT_ID, VERSIONS.CONTENT_ID)
                            .from(VERSIONS)
                            .join(CONFIGURATIONS)
                            .on(IN_FORCE)
                            .where(tenants)));
    Map<TenantId, Provisioned> inForce = new TreeMap<>();
    for (VersionsRecord row : rows) {
      Configuration configuration =
          contents.get(new ContentKey(row.getTenantId(), row.getContentId()));
      if (configuration == null) {
        throw new IllegalStateException("no content of version " + row.getVersion());
      }
      inForce.put(new TenantId(row.getTenantId()), provisioned(row, configuration));
    }
    return inForce;
  }

  private static Provisioned provisioned(VersionsRecord row, Configuration configuration) {
    return new Provisioned(
        row.getVersion(),
        row.getContentId(),
        configuration,
        Optional.of(new Stamp(row.getProvisionedAt(), row.getProvisionedBy())),
        Optional.ofNullable(row.getChangeId())
            .map(id ->
                new JointChange(id, row.getChangeResourceVersion(), row.getChangeAccessVersion())));
  }
}
