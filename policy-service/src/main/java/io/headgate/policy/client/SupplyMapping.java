package io.headgate.policy.client;

import io.headgate.policy.core.access.Supply;
import io.headgate.policy.core.name.PoolId;
import io.headgate.policy.core.name.ProfileId;
import io.headgate.proto.pool.v1.Device;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.pool.v1.Profile;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.type.GpuQuantity;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// What rights must know of a resource configuration.
final class SupplyMapping {
  private static final long MAX_UNITS = GpuQuantity.MAX_GPUS * GpuQuantity.UNITS_PER_GPU;

  private SupplyMapping() {}

  static Supply supply(ResourceConfiguration configuration, List<Node> nodes) {
    Map<ProfileId, GpuQuantity> needs = new HashMap<>();
    for (Profile profile : configuration.getProfilesList()) {
      long worker = GpuQuantity.parse(profile.getGpus()).units();
      needs.put(
          new ProfileId(id(profile.getName())),
          bounded(saturatingProduct(worker, Math.max(1, profile.getWorkers()))));
    }
    Set<PoolId> pools = new HashSet<>();
    long totalUnits = 0;
    for (Pool pool : configuration.getPoolsList()) {
      pools.add(new PoolId(id(pool.getName())));
      totalUnits = Math.min(MAX_UNITS, totalUnits + offeredUnits(pool, nodes));
    }
    return new Supply(needs, pools, bounded(totalUnits));
  }

  /// What a pool can offer at most: an elastic one fully grown, a static one what its nodes have;
  /// never above its capacity, if it names one.
  private static long offeredUnits(Pool pool, List<Node> nodes) {
    long gpus =
        pool.getType() == Pool.Type.TYPE_ELASTIC
            ? (long) pool.getElasticity().getMaxInstances()
                * pool.getElasticity().getInstance().getGpus()
            : devices(pool, nodes);
    long units = saturatingProduct(GpuQuantity.UNITS_PER_GPU, gpus);
    return pool.getCapacity().isEmpty()
        ? units
        : Math.min(units, GpuQuantity.parse(pool.getCapacity()).units());
  }

  private static long devices(Pool pool, List<Node> nodes) {
    String id = id(pool.getName());
    long count = 0;
    for (Node node : nodes) {
      if (node.getPool().equals(id)) {
        for (Device device : node.getDevicesList()) {
          boolean belongs =
              pool.getGpuModel().isEmpty() || pool.getGpuModel().equals(device.getGpuModel());
          count += belongs ? 1 : 0;
        }
      }
    }
    return count;
  }

  private static String id(String name) {
    return name.substring(name.lastIndexOf('/') + 1);
  }

  private static GpuQuantity bounded(long units) {
    return new GpuQuantity(Math.min(units, MAX_UNITS));
  }

  private static long saturatingProduct(long a, long b) {
    return Math.multiplyHigh(a, b) == 0 && a * b >= 0 ? a * b : MAX_UNITS;
  }
}
