package io.headgate.scheduler.client;

import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.proto.pool.v1.Dedication;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.type.v1.DeviceCondition;
import io.headgate.proto.type.v1.DeviceHealth;
import io.headgate.proto.type.v1.IsolationLevel;
import io.headgate.proto.type.v1.SliceTable;
import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.ledger.Price;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.Geometry.Kind;
import io.headgate.scheduler.core.node.Geometry.Sliced;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.scheduler.core.node.SliceProfile;
import io.headgate.scheduler.runtime.catalog.DeviceTrouble;
import io.headgate.scheduler.runtime.catalog.Supply;
import io.headgate.scheduler.runtime.catalog.Supply.Machine;
import io.headgate.scheduler.runtime.catalog.Supply.OfferedPool;
import io.headgate.scheduler.runtime.catalog.Supply.Owner;
import io.headgate.type.GpuQuantity;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Pool-service's messages as the scheduler's values.
final class SupplyMapper {
  private static final Pattern NODE = Pattern.compile("tenants/([^/]+)/nodes/([^/]+)");

  private static final String SHARED = TenantId.PLATFORM + "/";

  private SupplyMapper() {}

  static Supply toSupply(TenantId tenant, ResourceConfiguration configuration, PartReader parts) {
    List<OfferedPool> pools = new ArrayList<>();
    for (var pool : configuration.getPoolsList()) {
      parts.read("pools", pool.getName(), () -> toPool(tenant, pool)).ifPresent(pools::add);
    }
    List<Profile> profiles = new ArrayList<>();
    for (var profile : configuration.getProfilesList()) {
      parts
          .read("profiles", profile.getName(), () -> toProfile(tenant, profile))
          .ifPresent(profiles::add);
    }
    return new Supply(
        tenant,
        configuration.getVersion(),
        pools,
        profiles,
        configuration.hasJointChange()
            ? Optional.of(AccessMapper.joint(configuration.getJointChange()))
            : Optional.empty());
  }

  static Optional<Machine> toMachine(io.headgate.proto.pool.v1.Node node) {
    return PartReader.LENIENT.read(
        "nodes",
        node.getName(),
        () -> {
          NodeId id =
              toNodeId(node.getName())
                  .orElseThrow(() -> new IllegalArgumentException("not a node's name"));
          List<Device> devices =
              node.getDevicesList().stream()
                  .map(SupplyMapper::toDevice)
                  .sorted(Comparator.comparingInt(Device::index))
                  .toList();
          boolean takesWork =
              switch (node.getState()) {
                case STATE_UNSPECIFIED, STATE_ACTIVE -> true;
                case STATE_DRAINING, STATE_QUARANTINED, UNRECOGNIZED -> false;
              };
          return new Machine(
              new Node(
                  id,
                  new PoolId(id.tenant(), node.getPool()),
                  devices,
                  node.getCpuMillis(),
                  node.getMemoryBytes(),
                  takesWork ? NodeStatus.READY : NodeStatus.DRAINING),
              node.getSimulated(),
              node.getDevicesList().stream().flatMap(SupplyMapper::trouble).toList(),
              node.hasQuarantine(),
              node.hasUndrainTime()
                  ? Optional.of(ProtoTimes.instant(node.getUndrainTime()))
                  : Optional.empty(),
              node.getStoragesList());
        });
  }

  private static Stream<DeviceTrouble> trouble(io.headgate.proto.pool.v1.Device device) {
    DeviceCondition condition = device.getCondition();
    return switch (condition.getHealth()) {
      case DEVICE_HEALTH_UNSPECIFIED, DEVICE_HEALTH_HEALTHY -> Stream.empty();
      case DEVICE_HEALTH_DEGRADED, DEVICE_HEALTH_UNHEALTHY, UNRECOGNIZED ->
          Stream.of(
              new DeviceTrouble(
                  device.getIndex(),
                  device.getUuid(),
                  isInService(device),
                  condition.getCause(),
                  switch (condition.getRemedy()) {
                    case DEVICE_REMEDY_UNSPECIFIED -> "";
                    case DEVICE_REMEDY_INSPECT, UNRECOGNIZED -> "inspect the device";
                    case DEVICE_REMEDY_RESET -> "reset it when no job runs on it";
                    case DEVICE_REMEDY_RESTART_MACHINE -> "restart the machine";
                    case DEVICE_REMEDY_REPLACE -> "replace the device";
                  }));
    };
  }

  private static boolean isInService(io.headgate.proto.pool.v1.Device device) {
    return device.getCondition().getHealth() != DeviceHealth.DEVICE_HEALTH_UNHEALTHY;
  }

  static Optional<NodeId> toNodeId(String name) {
    Matcher parts = NODE.matcher(name);
    return parts.matches()
        ? Optional.of(new NodeId(new TenantId(parts.group(1)), parts.group(2)))
        : Optional.empty();
  }

  /// The last part of a resource name, or a bare id.
  static String id(String name) {
    return name.substring(name.lastIndexOf('/') + 1);
  }

  private static OfferedPool toPool(TenantId tenant, io.headgate.proto.pool.v1.Pool pool) {
    Optional<GpuQuantity> capacity =
        pool.getCapacity().isEmpty()
            ? Optional.empty()
            : Optional.of(GpuQuantity.parse(pool.getCapacity()));
    Optional<Owner> owner = pool.hasDedicatedTo() ? owner(pool.getDedicatedTo()) : Optional.empty();
    return new OfferedPool(
        // Without a connected provider, no request for new nodes of an elastic pool could be met:
        // it has no elasticity.
        Pool.of(new PoolId(tenant, id(pool.getName())))
            .with()
            .gpuModel(Optional.of(pool.getGpuModel()).filter(model -> !model.isEmpty()))
            .capacity(capacity)
            .order(
                pool.getProfileOrderList().stream()
                    .map(profile -> new ProfileId(tenant, profile))
                    .toList())
            .promoteAfter(
                pool.hasPromoteAfter()
                    ? Optional.of(toDuration(pool.getPromoteAfter()))
                    : Optional.empty())
            .halfLife(
                pool.hasFairness()
                    ? Optional.of(toDuration(pool.getFairness().getHalfLife()))
                    : Optional.empty())
            .consolidate(pool.getConsolidate())
            .build(),
        owner,
        Optional.of(pool.getStorage()).filter(storage -> !storage.isEmpty()),
        Optional.of(pool.getPricePerGpuHour())
            .filter(price -> !price.isEmpty())
            .map(price -> new Price(new BigDecimal(price), pool.getCurrency())));
  }

  private static Optional<Owner> owner(Dedication dedication) {
    return switch (dedication.getOwnerCase()) {
      case POLICY -> Optional.of(new Owner.OfPolicy(dedication.getPolicy()));
      case GROUP -> Optional.of(new Owner.OfGroup(dedication.getGroup()));
      // Dedicated to a kind of owner that this version does not know: no policy may use it.
      case OWNER_NOT_SET -> Optional.of(new Owner.OfPolicy(""));
    };
  }

  private static Profile toProfile(TenantId tenant, io.headgate.proto.pool.v1.Profile profile) {
    return new Profile(
        new ProfileId(tenant, id(profile.getName())),
        GpuQuantity.parse(profile.getGpus()),
        Math.max(1, profile.getWorkers()),
        profile.getCpuMillis(),
        profile.getMemoryBytes(),
        profile.getGpuMemoryBytes() == 0
            ? OptionalLong.empty()
            : OptionalLong.of(profile.getGpuMemoryBytes()),
        isolation(profile.getIsolation()),
        Set.copyOf(profile.getGpuModelsList()),
        profile.getImages(),
        profile.getPoolsList().stream().map(pool -> toPoolId(tenant, pool)).toList(),
        profile.hasHoldAfter() ? toDuration(profile.getHoldAfter()) : Profile.DEFAULT_HOLD_AFTER,
        profile.hasPreemptionDelay()
            ? toDuration(profile.getPreemptionDelay())
            : Profile.DEFAULT_PREEMPTION_DELAY,
        reclaim(profile.getReclaim()));
  }

  /// `h100` is the tenant's own pool, `platform/h100` a shared one.
  private static PoolId toPoolId(TenantId tenant, String pool) {
    return pool.startsWith(SHARED)
        ? new PoolId(TenantId.PLATFORM, pool.substring(SHARED.length()))
        : new PoolId(tenant, pool);
  }

  private static Reclaim reclaim(io.headgate.proto.pool.v1.Profile.Reclaim reclaim) {
    return switch (reclaim) {
      case RECLAIM_UNSPECIFIED, RECLAIM_RESERVATION, UNRECOGNIZED -> Reclaim.RESERVATION;
      case RECLAIM_STRICT -> Reclaim.STRICT;
      case RECLAIM_RANK -> Reclaim.RANK;
      case RECLAIM_FAIR -> Reclaim.FAIR;
    };
  }

  private static Duration toDuration(com.google.protobuf.Duration duration) {
    return Duration.ofSeconds(duration.getSeconds(), duration.getNanos());
  }

  private static Device toDevice(io.headgate.proto.pool.v1.Device device) {
    return new Device(
        device.getIndex(),
        device.getUuid(),
        device.getGpuModel(),
        device.getMemoryBytes(),
        geometry(device),
        isolation(device.getIsolation()),
        isInService(device));
  }

  private static Geometry geometry(io.headgate.proto.pool.v1.Device device) {
    return switch (device.getGeometry()) {
      case DEVICE_GEOMETRY_UNSPECIFIED, DEVICE_GEOMETRY_CONTINUOUS, UNRECOGNIZED ->
          new Geometry.Continuous();
      case DEVICE_GEOMETRY_MIG ->
          device.hasSlices() ? sliced(Kind.MIG, device.getSlices()) : Sliced.MIG;
      case DEVICE_GEOMETRY_AMD_PARTITION ->
          device.hasSlices() ? sliced(Kind.AMD_PARTITION, device.getSlices()) : Sliced.AMD;
    };
  }

  private static Sliced sliced(Kind kind, SliceTable table) {
    List<SliceProfile> profiles =
        table.getProfilesList().stream()
            .map(each ->
                new SliceProfile(
                    each.getName(),
                    each.getMemorySlices(),
                    each.getComputeSlices(),
                    each.getStartsList()))
            .toList();
    return new Sliced(kind, table.getMemorySlices(), table.getComputeSlices(), profiles);
  }

  private static Isolation isolation(IsolationLevel level) {
    return switch (level) {
      case ISOLATION_LEVEL_UNSPECIFIED, UNRECOGNIZED -> Isolation.NONE;
      case ISOLATION_LEVEL_REACTIVE -> Isolation.REACTIVE;
      case ISOLATION_LEVEL_DRIVER_PROCESS -> Isolation.DRIVER_PROCESS;
      case ISOLATION_LEVEL_DRIVER_CONTAINER -> Isolation.DRIVER_CONTAINER;
      case ISOLATION_LEVEL_HARDWARE -> Isolation.HARDWARE;
    };
  }
}
