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
import io.headgate.pool.core.configuration.Price;
import io.headgate.pool.core.configuration.Profile;
import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.ProfileId;
import io.headgate.pool.core.name.StorageId;
import io.headgate.pool.store.jooq.tables.records.ElasticitiesRecord;
import io.headgate.pool.store.jooq.tables.records.LinksRecord;
import io.headgate.pool.store.jooq.tables.records.PoolsRecord;
import io.headgate.pool.store.jooq.tables.records.ProfilesRecord;
import io.headgate.pool.store.jooq.tables.records.ProviderSettingsRecord;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jooq.DSLContext;
import org.jooq.TableRecord;

/// Writes one content: pools, profiles and links, which never change afterwards.
final class ContentWriter {
  private final DSLContext db;
  private final Seal seal;
  private final ContentKey key;

  ContentWriter(DSLContext db, Seal seal, ContentKey key) {
    this.db = db;
    this.seal = seal;
    this.key = key;
  }

  void write(Configuration configuration) {
    db.insertInto(CONTENTS)
        .set(CONTENTS.TENANT_ID, key.tenant())
        .set(CONTENTS.CONTENT_ID, key.content())
        .execute();
    List<PoolsRecord> pools = new ArrayList<>();
    List<ElasticitiesRecord> elasticities = new ArrayList<>();
    List<ProviderSettingsRecord> settings = new ArrayList<>();
    for (Pool pool : configuration.pools()) {
      pools.add(row(pool));
      pool.elasticity()
          .ifPresent(elasticity -> {
            elasticities.add(row(pool.id(), elasticity));
            elasticity
                .settings()
                .forEach((name, value) -> settings.add(setting(pool.id(), name, value)));
          });
    }
    insert(pools);
    insert(elasticities);
    insert(settings);
    insert(configuration.profiles().stream().map(this::row).toList());
    insert(links(configuration));
  }

  /// One statement per table: the driver merges the batch.
  private void insert(List<? extends TableRecord<?>> rows) {
    if (!rows.isEmpty()) {
      db.batchInsert(rows).execute();
    }
  }

  private PoolsRecord row(Pool pool) {
    PoolsRecord row = db.newRecord(POOLS);
    row.setTenantId(key.tenant());
    row.setContentId(key.content());
    row.setPoolId(pool.id().value());
    row.setGpuModel(pool.gpuModel().orElse(null));
    row.setCapacityUnits(pool.capacity().map(GpuQuantity::units).orElse(null));
    row.setMigAuto(pool.migAuto());
    pool.dedicatedTo()
        .ifPresent(dedication -> {
          switch (dedication) {
            case Dedication.ToPolicy(var policy) -> row.setDedicatedPolicy(policy.value());
            case Dedication.ToGroup(var group) -> row.setDedicatedGroup(group.value());
          }
        });
    row.setPricePerGpuHour(pool.price().map(Price::perGpuHour).orElse(null));
    row.setCurrency(pool.price().flatMap(Price::currency).orElse(null));
    row.setStorage(pool.storage().map(StorageId::value).orElse(null));
    pool.instance()
        .ifPresent(instance -> {
          row.setInstanceGpus(instance.gpus());
          row.setInstanceGpuModel(instance.gpuModel().orElse(null));
          row.setInstanceGpuMemoryBytes(instance.gpuMemoryBytes());
          row.setInstanceCpuMillis(instance.cpuMillis());
          row.setInstanceMemoryBytes(instance.memoryBytes());
        });
    row.setPromoteAfterMs(pool.rules().promoteAfter().map(Duration::toMillis).orElse(null));
    row.setConsolidate(pool.rules().consolidate());
    row.setHalfLifeMs(pool.rules().halfLife().map(Duration::toMillis).orElse(null));
    row.setDescription(pool.description());
    return row;
  }

  private ElasticitiesRecord row(PoolId pool, Elasticity elasticity) {
    ElasticitiesRecord row = db.newRecord(ELASTICITIES);
    row.setTenantId(key.tenant());
    row.setContentId(key.content());
    row.setPoolId(pool.value());
    row.setProvider(elasticity.provider());
    row.setInstanceGpus(elasticity.instance().gpus());
    row.setInstanceGpuModel(elasticity.instance().gpuModel().orElse(null));
    row.setGpuMemoryBytes(elasticity.instance().gpuMemoryBytes());
    row.setCpuMillis(elasticity.instance().cpuMillis());
    row.setMemoryBytes(elasticity.instance().memoryBytes());
    row.setMinInstances(elasticity.minInstances());
    row.setMaxInstances(elasticity.maxInstances());
    row.setIdleTimeoutMs(elasticity.idleTimeout().toMillis());
    row.setSpot(elasticity.spot());
    return row;
  }

  private ProviderSettingsRecord setting(PoolId pool, String name, String value) {
    ProviderSettingsRecord row = db.newRecord(PROVIDER_SETTINGS);
    row.setTenantId(key.tenant());
    row.setContentId(key.content());
    row.setPoolId(pool.value());
    row.setKey(name);
    row.setValue(seal.sealText(value, SealedColumns.place(row)));
    return row;
  }

  private ProfilesRecord row(Profile profile) {
    ProfilesRecord row = db.newRecord(PROFILES);
    row.setTenantId(key.tenant());
    row.setContentId(key.content());
    row.setProfileId(profile.id().value());
    row.setGpusUnits(profile.gpus().units());
    row.setWorkers(profile.workers());
    row.setCpuMillis(profile.cpuMillis());
    row.setMemoryBytes(profile.memoryBytes());
    row.setGpuMemoryBytes(profile.gpuMemoryBytes());
    row.setIsolation(profile.isolation().name());
    row.setGpuModels(profile.gpuModels().toArray(String[]::new));
    row.setImages(profile.images());
    row.setHoldAfterMs(profile.holdAfter().toMillis());
    row.setPreemptionDelayMs(profile.preemptionDelay().toMillis());
    row.setReclaim(profile.reclaim().name());
    row.setDescription(profile.description());
    return row;
  }

  /// A link has a position among the profile's pools, among the pool's profiles, or both.
  private List<LinksRecord> links(Configuration configuration) {
    record Link(ProfileId profile, PoolId pool) {}
    Map<Link, LinksRecord> links = new LinkedHashMap<>();
    for (Profile profile : configuration.profiles()) {
      for (int i = 0; i < profile.pools().size(); i++) {
        Link link = new Link(profile.id(), profile.pools().get(i));
        links.computeIfAbsent(link, _ -> link(link.profile(), link.pool())).setRoutingPosition(i);
      }
    }
    for (Pool pool : configuration.pools()) {
      for (int i = 0; i < pool.order().size(); i++) {
        Link link = new Link(pool.order().get(i), pool.id());
        links.computeIfAbsent(link, _ -> link(link.profile(), link.pool())).setExecutionPosition(i);
      }
    }
    return List.copyOf(links.values());
  }

  private LinksRecord link(ProfileId profile, PoolId pool) {
    LinksRecord row = db.newRecord(LINKS);
    row.setTenantId(key.tenant());
    row.setContentId(key.content());
    row.setProfileId(profile.value());
    row.setPoolId(pool.value());
    return row;
  }
}
