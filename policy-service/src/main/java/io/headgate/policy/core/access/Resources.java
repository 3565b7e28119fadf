package io.headgate.policy.core.access;

import io.headgate.policy.core.name.PoolId;
import io.headgate.policy.core.name.ProfileId;
import io.headgate.type.GpuQuantity;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/// The part of a tenant's resource configuration that rights depend on.
///
/// @param needs GPUs of one whole job by profile: GPUs of a worker × workers
/// @param shares whether profiles name pools of another owner, whose capacity is not known here
public record Resources(Map<ProfileId, GpuQuantity> needs, List<Pool> pools, boolean shares) {
  private static final long MAX_UNITS = GpuQuantity.MAX_GPUS * GpuQuantity.UNITS_PER_GPU;

  public Resources {
    needs = Map.copyOf(needs);
    pools = List.copyOf(pools);
  }

  /// Resources of which all pools are the tenant's own.
  public Resources(Map<ProfileId, GpuQuantity> needs, List<Pool> pools) {
    this(needs, pools, false);
  }

  /// A pool.
  ///
  /// @param gpuModel the only model that belongs to it; empty: any
  /// @param capacity absent: the capacity of its nodes
  /// @param grown GPUs of an elastic pool at its maximum; absent: a static pool
  /// @param currency of its price; absent: it has none
  public record Pool(
      PoolId id,
      String gpuModel,
      Optional<GpuQuantity> capacity,
      OptionalLong grown,
      Optional<String> currency) {}

  /// A node of a pool.
  ///
  /// @param gpuModels of each of its devices
  public record Machine(String pool, List<String> gpuModels) {
    public Machine {
      gpuModels = List.copyOf(gpuModels);
    }
  }

  /// GPUs of a whole job, capped at the largest quantity.
  static GpuQuantity need(GpuQuantity worker, int workers) {
    return bounded(saturatingProduct(worker.units(), workers));
  }

  /// The supply of these resources with these nodes.
  public Supply supply(List<Machine> machines) {
    Set<PoolId> ids = new HashSet<>();
    long totalUnits = 0;
    Map<PoolId, GpuQuantity> offers = new HashMap<>();
    for (Pool pool : pools) {
      ids.add(pool.id());
      long units = offeredUnits(pool, machines);
      offers.put(pool.id(), bounded(units));
      totalUnits = Math.min(MAX_UNITS, totalUnits + units);
    }
    Set<String> currencies =
        pools.stream().flatMap(pool -> pool.currency().stream()).collect(Collectors.toSet());
    return new Supply(
        needs,
        ids,
        bounded(shares ? MAX_UNITS : totalUnits),
        offers,
        shares ? Optional.empty() : Optional.of(currencies));
  }

  /// The most that a pool can offer: an elastic pool at its maximum, a static pool the devices of
  /// its nodes; never above its capacity.
  private static long offeredUnits(Pool pool, List<Machine> machines) {
    long gpus = pool.grown().orElseGet(() -> devices(pool, machines));
    long units = saturatingProduct(GpuQuantity.UNITS_PER_GPU, gpus);
    return pool.capacity().map(capacity -> Math.min(units, capacity.units())).orElse(units);
  }

  private static long devices(Pool pool, List<Machine> machines) {
    long count = 0;
    for (Machine machine : machines) {
      if (machine.pool().equals(pool.id().value())) {
        for (String model : machine.gpuModels()) {
          count += pool.gpuModel().isEmpty() || pool.gpuModel().equals(model) ? 1 : 0;
        }
      }
    }
    return count;
  }

  private static GpuQuantity bounded(long units) {
    return new GpuQuantity(Math.min(units, MAX_UNITS));
  }

  private static long saturatingProduct(long a, long b) {
    return Math.multiplyHigh(a, b) == 0 && a * b >= 0 ? a * b : MAX_UNITS;
  }
}
