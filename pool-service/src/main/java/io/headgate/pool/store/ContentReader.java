package io.headgate.pool.store;

import static io.headgate.pool.store.jooq.Tables.CONTENTS;
import static io.headgate.pool.store.jooq.Tables.ELASTICITIES;
import static io.headgate.pool.store.jooq.Tables.LINKS;
import static io.headgate.pool.store.jooq.Tables.POOLS;
import static io.headgate.pool.store.jooq.Tables.PROFILES;
import static io.headgate.pool.store.jooq.Tables.PROVIDER_SETTINGS;

import io.headgate.kit.seal.Seal;
import io.headgate.pool.core.configuration.Configuration;
import io.headgate.pool.core.configuration.Dedication;
import io.headgate.pool.core.configuration.Elasticity;
import io.headgate.pool.core.configuration.Pool;
import io.headgate.pool.core.configuration.PoolRules;
import io.headgate.pool.core.configuration.Price;
import io.headgate.pool.core.configuration.Profile;
import io.headgate.pool.core.configuration.Reclaim;
import io.headgate.pool.core.name.GroupId;
import io.headgate.pool.core.name.PolicyId;
import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.ProfileId;
import io.headgate.pool.core.name.StorageId;
import io.headgate.pool.core.node.Isolation;
import io.headgate.pool.store.jooq.tables.records.ElasticitiesRecord;
import io.headgate.pool.store.jooq.tables.records.PoolsRecord;
import io.headgate.pool.store.jooq.tables.records.ProfilesRecord;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jooq.DSLContext;
import org.jooq.Record;

/// Reads contents with one query per table.
final class ContentReader {
  /// A pool or a profile within its content.
  private record Item(ContentKey content, String id) {}

  private final DSLContext db;
  private final Seal seal;
  private final ContentKey.Filter filter;
  private final Map<Item, Map<String, String>> settings = new HashMap<>();
  private final Map<Item, Elasticity> elasticities = new HashMap<>();
  private final Map<Item, List<PoolId>> routing = new HashMap<>();
  private final Map<Item, List<ProfileId>> execution = new HashMap<>();

  private ContentReader(DSLContext db, Seal seal, ContentKey.Filter filter) {
    this.db = db;
    this.seal = seal;
    this.filter = filter;
  }

  static Map<ContentKey, Configuration> read(DSLContext db, Seal seal, ContentKey.Filter filter) {
    return new ContentReader(db, seal, filter).read();
  }

  private Map<ContentKey, Configuration> read() {
    Map<ContentKey, List<Pool>> pools = new HashMap<>();
    Map<ContentKey, List<Profile>> profiles = new HashMap<>();
    readElasticities();
    readLinks();
    for (PoolsRecord row :
        db.selectFrom(POOLS).where(filter.of(POOLS.TENANT_ID, POOLS.CONTENT_ID)).fetch()) {
      ContentKey key = new ContentKey(row.getTenantId(), row.getContentId());
      pools.computeIfAbsent(key, _ -> new ArrayList<>()).add(pool(key, row));
    }
    for (ProfilesRecord row :
        db.selectFrom(PROFILES).where(filter.of(PROFILES.TENANT_ID, PROFILES.CONTENT_ID)).fetch()) {
      ContentKey key = new ContentKey(row.getTenantId(), row.getContentId());
      profiles.computeIfAbsent(key, _ -> new ArrayList<>()).add(profile(key, row));
    }
    Map<ContentKey, Configuration> found = new HashMap<>();
    for (Record row :
        db.select(CONTENTS.TENANT_ID, CONTENTS.CONTENT_ID)
            .from(CONTENTS)
            .where(filter.of(CONTENTS.TENANT_ID, CONTENTS.CONTENT_ID))
            .fetch()) {
      ContentKey key = ContentKey.of(row, CONTENTS.TENANT_ID, CONTENTS.CONTENT_ID);
      found.put(
          key,
          new Configuration(
              pools.getOrDefault(key, List.of()), profiles.getOrDefault(key, List.of())));
    }
    return found;
  }

  private void readElasticities() {
    db.selectFrom(PROVIDER_SETTINGS)
        .where(filter.of(PROVIDER_SETTINGS.TENANT_ID, PROVIDER_SETTINGS.CONTENT_ID))
        // A setting that does not open is missing, so that the other tenants' pools can be read.
        .forEach(row ->
            seal.tryOpenText(row.getValue(), SealedColumns.place(row))
                .ifPresent(value ->
                    settings
                        .computeIfAbsent(
                            item(row.getTenantId(), row.getContentId(), row.getPoolId()),
                            _ -> new HashMap<>())
                        .put(row.getKey(), value)));
    db.selectFrom(ELASTICITIES)
        .where(filter.of(ELASTICITIES.TENANT_ID, ELASTICITIES.CONTENT_ID))
        .forEach(row -> {
          Item item = item(row.getTenantId(), row.getContentId(), row.getPoolId());
          elasticities.put(item, elasticity(item, row));
        });
  }

  private void readLinks() {
    var ofContents = filter.of(LINKS.TENANT_ID, LINKS.CONTENT_ID);
    db.selectFrom(LINKS)
        .where(ofContents.and(LINKS.ROUTING_POSITION.isNotNull()))
        .orderBy(LINKS.ROUTING_POSITION)
        .forEach(row ->
            routing
                .computeIfAbsent(
                    item(row.getTenantId(), row.getContentId(), row.getProfileId()),
                    _ -> new ArrayList<>())
                .add(new PoolId(row.getPoolId())));
    db.selectFrom(LINKS)
        .where(ofContents.and(LINKS.EXECUTION_POSITION.isNotNull()))
        .orderBy(LINKS.EXECUTION_POSITION)
        .forEach(row ->
            execution
                .computeIfAbsent(
                    item(row.getTenantId(), row.getContentId(), row.getPoolId()),
                    _ -> new ArrayList<>())
                .add(new ProfileId(row.getProfileId())));
  }

  private static Item item(String tenant, long content, String id) {
    return new Item(new ContentKey(tenant, content), id);
  }

  private Elasticity elasticity(Item item, ElasticitiesRecord row) {
    return new Elasticity(
        row.getProvider(),
        settings.getOrDefault(item, Map.of()),
        InstanceColumns.of(row),
        row.getMinInstances(),
        row.getMaxInstances(),
        Duration.ofMillis(row.getIdleTimeoutMs()),
        row.getSpot());
  }

  private Pool pool(ContentKey key, PoolsRecord row) {
    Item item = new Item(key, row.getPoolId());
    return new Pool(
        new PoolId(row.getPoolId()),
        Optional.ofNullable(row.getGpuModel()),
        Optional.ofNullable(row.getCapacityUnits()).map(GpuQuantity::new),
        row.getMigAuto(),
        execution.getOrDefault(item, List.of()),
        dedication(row),
        Optional.ofNullable(row.getPricePerGpuHour())
            .map(price -> new Price(price, Optional.ofNullable(row.getCurrency()))),
        Optional.ofNullable(row.getStorage()).map(StorageId::new),
        Optional.ofNullable(elasticities.get(item)),
        InstanceColumns.of(row),
        new PoolRules(
            Optional.ofNullable(row.getPromoteAfterMs()).map(Duration::ofMillis),
            row.getConsolidate(),
            Optional.ofNullable(row.getHalfLifeMs()).map(Duration::ofMillis)),
        row.getDescription());
  }

  private static Optional<Dedication> dedication(PoolsRecord row) {
    if (row.getDedicatedPolicy() != null) {
      return Optional.of(new Dedication.ToPolicy(new PolicyId(row.getDedicatedPolicy())));
    }
    return Optional.ofNullable(row.getDedicatedGroup())
        .map(group -> new Dedication.ToGroup(new GroupId(group)));
  }

  private Profile profile(ContentKey key, ProfilesRecord row) {
    return new Profile(
        new ProfileId(row.getProfileId()),
        new GpuQuantity(row.getGpusUnits()),
        row.getWorkers(),
        row.getCpuMillis(),
        row.getMemoryBytes(),
        row.getGpuMemoryBytes(),
        Isolation.valueOf(row.getIsolation()),
        List.of(row.getGpuModels()),
        row.getImages(),
        routing.getOrDefault(new Item(key, row.getProfileId()), List.of()),
        Duration.ofMillis(row.getHoldAfterMs()),
        Duration.ofMillis(row.getPreemptionDelayMs()),
        Reclaim.valueOf(row.getReclaim()),
        row.getDescription());
  }
}
