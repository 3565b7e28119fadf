package io.headgate.sdk.wire;

import io.headgate.proto.pool.v1.Dedication;
import io.headgate.proto.pool.v1.Device;
import io.headgate.proto.pool.v1.Elasticity;
import io.headgate.proto.pool.v1.Fairness;
import io.headgate.proto.pool.v1.Instance;
import io.headgate.proto.pool.v1.Quarantine;
import io.headgate.proto.type.v1.DeviceCondition;
import io.headgate.sdk.config.ByteText;
import io.headgate.sdk.config.CpuText;
import io.headgate.sdk.config.Pool;
import io.headgate.sdk.config.Profile;
import io.headgate.sdk.model.Node;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/// Maps pools, profiles and nodes between messages and records.
public final class SupplyMessages {
  private SupplyMessages() {}

  public static Pool pool(io.headgate.proto.pool.v1.Pool pool) {
    boolean elastic = pool.getType() == io.headgate.proto.pool.v1.Pool.Type.TYPE_ELASTIC;
    String price = pool.getPricePerGpuHour();
    return new Pool(
        ResourceNames.id(pool.getName()),
        elastic ? Pool.Type.ELASTIC : Pool.Type.STATIC,
        ValueMessages.textOrNull(pool.getGpuModel()),
        ValueMessages.gpusOrNull(pool.getCapacity()),
        pool.getMigAuto() ? Pool.Mig.AUTO : Pool.Mig.KEEP,
        pool.getProfileOrderList(),
        rules(pool),
        dedication(pool.getDedicatedTo()),
        price.isEmpty() ? null : new BigDecimal(price),
        ValueMessages.textOrNull(pool.getCurrency()),
        ValueMessages.textOrNull(pool.getStorage()),
        pool.hasElasticity() ? elasticity(pool.getElasticity()) : null,
        pool.hasInstance() ? instance(pool.getInstance()) : null,
        ValueMessages.textOrNull(pool.getDescription()));
  }

  private static Pool.Rules rules(io.headgate.proto.pool.v1.Pool pool) {
    return new Pool.Rules(
        pool.hasPromoteAfter() ? TimeMessages.duration(pool.getPromoteAfter()) : null,
        pool.getConsolidate(),
        pool.hasFairness() ? TimeMessages.duration(pool.getFairness().getHalfLife()) : null);
  }

  private static Pool.@Nullable Dedication dedication(Dedication dedication) {
    return switch (dedication.getOwnerCase()) {
      case POLICY -> new Pool.Dedication.ToPolicy(dedication.getPolicy());
      case GROUP -> new Pool.Dedication.ToGroup(dedication.getGroup());
      case OWNER_NOT_SET -> null;
    };
  }

  private static Pool.Elasticity elasticity(Elasticity elasticity) {
    return new Pool.Elasticity(
        elasticity.getProvider(),
        elasticity.getSettingsMap(),
        instance(elasticity.getInstance()),
        elasticity.getMinInstances(),
        elasticity.getMaxInstances(),
        elasticity.hasIdleTimeout()
            ? TimeMessages.duration(elasticity.getIdleTimeout())
            : Pool.Elasticity.DEFAULT_IDLE_TIMEOUT,
        elasticity.getSpot());
  }

  private static Pool.Instance instance(Instance instance) {
    return new Pool.Instance(
        instance.getGpus(),
        ValueMessages.textOrNull(instance.getGpuModel()),
        instance.getGpuMemoryBytes(),
        instance.getCpuMillis(),
        instance.getMemoryBytes());
  }

  public static io.headgate.proto.pool.v1.Pool pool(String tenant, Pool pool) {
    io.headgate.proto.pool.v1.Pool.Builder message =
        io.headgate.proto.pool.v1.Pool.newBuilder()
            .setName(ResourceNames.of(tenant, "pools", pool.name()))
            .setType(
                switch (pool.type()) {
                  case STATIC -> io.headgate.proto.pool.v1.Pool.Type.TYPE_STATIC;
                  case ELASTIC -> io.headgate.proto.pool.v1.Pool.Type.TYPE_ELASTIC;
                })
            .setGpuModel(ValueMessages.text(pool.gpuModel()))
            .setCapacity(ValueMessages.text(pool.capacity()))
            .setMigAuto(pool.mig() == Pool.Mig.AUTO)
            .addAllProfileOrder(pool.order())
            .setConsolidate(pool.rules().consolidate())
            .setCurrency(ValueMessages.text(pool.currency()))
            .setStorage(ValueMessages.text(pool.storage()))
            .setDescription(ValueMessages.text(pool.description()));
    if (pool.pricePerGpuHour() != null) {
      message.setPricePerGpuHour(pool.pricePerGpuHour().toPlainString());
    }
    switch (pool.dedicatedTo()) {
      case null -> {}
      case Pool.Dedication.ToPolicy(String owner) ->
          message.setDedicatedTo(Dedication.newBuilder().setPolicy(owner));
      case Pool.Dedication.ToGroup(String owner) ->
          message.setDedicatedTo(Dedication.newBuilder().setGroup(owner));
    }
    Pool.Rules rules = pool.rules();
    if (rules.promoteAfter() != null) {
      message.setPromoteAfter(TimeMessages.duration(rules.promoteAfter()));
    }
    if (rules.halfLife() != null) {
      message.setFairness(
          Fairness.newBuilder().setHalfLife(TimeMessages.duration(rules.halfLife())));
    }
    if (pool.elasticity() != null) {
      message.setElasticity(elasticity(pool.elasticity()));
    }
    if (pool.instance() != null) {
      message.setInstance(instance(pool.instance()));
    }
    return message.build();
  }

  private static Elasticity elasticity(Pool.Elasticity elasticity) {
    return Elasticity.newBuilder()
        .setProvider(elasticity.provider())
        .putAllSettings(elasticity.settings())
        .setInstance(instance(elasticity.instance()))
        .setMinInstances(elasticity.minInstances())
        .setMaxInstances(elasticity.maxInstances())
        .setIdleTimeout(TimeMessages.duration(elasticity.idleTimeout()))
        .setSpot(elasticity.spot())
        .build();
  }

  private static Instance instance(Pool.Instance instance) {
    return Instance.newBuilder()
        .setGpus(instance.gpus())
        .setGpuModel(ValueMessages.text(instance.gpuModel()))
        .setGpuMemoryBytes(instance.gpuMemoryBytes())
        .setCpuMillis(instance.cpuMillis())
        .setMemoryBytes(instance.memoryBytes())
        .build();
  }

  public static Profile profile(io.headgate.proto.pool.v1.Profile profile) {
    return new Profile(
        ResourceNames.id(profile.getName()),
        ValueMessages.gpus(profile.getGpus()),
        Math.max(1, profile.getWorkers()),
        profile.getCpuMillis(),
        profile.getMemoryBytes(),
        profile.getGpuMemoryBytes(),
        ValueMessages.isolation(profile.getIsolation()),
        profile.getGpuModelsList(),
        profile.getImages(),
        profile.getPoolsList(),
        profile.hasHoldAfter()
            ? TimeMessages.duration(profile.getHoldAfter())
            : Profile.DEFAULT_HOLD_AFTER,
        profile.hasPreemptionDelay()
            ? TimeMessages.duration(profile.getPreemptionDelay())
            : Profile.DEFAULT_PREEMPTION_DELAY,
        switch (profile.getReclaim()) {
          case RECLAIM_STRICT -> Profile.Reclaim.STRICT;
          case RECLAIM_RANK -> Profile.Reclaim.RANK;
          case RECLAIM_FAIR -> Profile.Reclaim.FAIR;
          case RECLAIM_UNSPECIFIED, RECLAIM_RESERVATION, UNRECOGNIZED ->
              Profile.Reclaim.RESERVATION;
        },
        ValueMessages.textOrNull(profile.getDescription()));
  }

  public static io.headgate.proto.pool.v1.Profile profile(String tenant, Profile profile) {
    return io.headgate.proto.pool.v1.Profile.newBuilder()
        .setName(ResourceNames.of(tenant, "profiles", profile.name()))
        .setGpus(profile.gpus().toString())
        .setWorkers(profile.workers())
        .setCpuMillis(profile.cpuMillis())
        .setMemoryBytes(profile.memoryBytes())
        .setGpuMemoryBytes(profile.gpuMemoryBytes())
        .setIsolation(ValueMessages.isolation(profile.isolation()))
        .addAllGpuModels(profile.gpuModels())
        .setImages(profile.images())
        .addAllPools(profile.pools())
        .setHoldAfter(TimeMessages.duration(profile.holdAfter()))
        .setPreemptionDelay(TimeMessages.duration(profile.preemptionDelay()))
        .setReclaim(
            switch (profile.reclaim()) {
              case RESERVATION -> io.headgate.proto.pool.v1.Profile.Reclaim.RECLAIM_RESERVATION;
              case STRICT -> io.headgate.proto.pool.v1.Profile.Reclaim.RECLAIM_STRICT;
              case RANK -> io.headgate.proto.pool.v1.Profile.Reclaim.RECLAIM_RANK;
              case FAIR -> io.headgate.proto.pool.v1.Profile.Reclaim.RECLAIM_FAIR;
            })
        .setDescription(ValueMessages.text(profile.description()))
        .build();
  }

  public static Node node(io.headgate.proto.pool.v1.Node node) {
    return new Node(
        ResourceNames.tenantOf(node.getName()),
        ResourceNames.id(node.getName()),
        node.getPool(),
        node.getDevicesList().stream().map(SupplyMessages::device).toList(),
        node.getCpuMillis(),
        node.getMemoryBytes(),
        node.getSimulated(),
        node.getDriver(),
        node.getAgentVersion(),
        node.getHostname(),
        node.getState() == io.headgate.proto.pool.v1.Node.State.STATE_DRAINING,
        node.getDrainReason(),
        node.getLabelsMap(),
        node.getStoragesList(),
        node.hasQuarantine() ? quarantine(node.getQuarantine()) : null,
        JobMessages.instant(node.hasCreateTime(), node.getCreateTime()));
  }

  private static Node.Quarantine quarantine(Quarantine quarantine) {
    String gpus =
        quarantine.getDevices() == 0
            ? "no GPU"
            : "%d x %s %s"
                .formatted(
                    quarantine.getDevices(),
                    String.join("/", quarantine.getGpuModelsList()),
                    ByteText.format(quarantine.getDeviceMemoryBytes()));
    return new Node.Quarantine(
        quarantine.getReason(),
        "%s%s, %s CPUs, %s of memory"
            .formatted(
                quarantine.getSimulated() ? "SIMULATED " : "",
                gpus,
                CpuText.format(quarantine.getCpuMillis()),
                ByteText.format(quarantine.getMemoryBytes())),
        quarantine.getEtag());
  }

  private static Node.Device device(Device device) {
    return new Node.Device(
        device.getIndex(),
        device.getUuid(),
        device.getGpuModel(),
        device.getMemoryBytes(),
        switch (device.getGeometry()) {
          case DEVICE_GEOMETRY_CONTINUOUS -> Node.Geometry.CONTINUOUS;
          case DEVICE_GEOMETRY_MIG -> Node.Geometry.MIG;
          case DEVICE_GEOMETRY_AMD_PARTITION -> Node.Geometry.AMD_PARTITION;
          case DEVICE_GEOMETRY_UNSPECIFIED, UNRECOGNIZED -> Node.Geometry.UNKNOWN;
        },
        ValueMessages.isolation(device.getIsolation()),
        condition(device.getCondition()));
  }

  private static Node.Condition condition(DeviceCondition condition) {
    return new Node.Condition(
        switch (condition.getHealth()) {
          case DEVICE_HEALTH_UNSPECIFIED -> Node.Health.UNKNOWN;
          case DEVICE_HEALTH_HEALTHY -> Node.Health.HEALTHY;
          case DEVICE_HEALTH_DEGRADED, UNRECOGNIZED -> Node.Health.DEGRADED;
          case DEVICE_HEALTH_UNHEALTHY -> Node.Health.UNHEALTHY;
        },
        condition.getCause(),
        switch (condition.getRemedy()) {
          case DEVICE_REMEDY_UNSPECIFIED -> Node.Remedy.NONE;
          case DEVICE_REMEDY_INSPECT, UNRECOGNIZED -> Node.Remedy.INSPECT;
          case DEVICE_REMEDY_RESET -> Node.Remedy.RESET;
          case DEVICE_REMEDY_RESTART_MACHINE -> Node.Remedy.RESTART_MACHINE;
          case DEVICE_REMEDY_REPLACE -> Node.Remedy.REPLACE;
        });
  }
}
