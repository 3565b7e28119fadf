package io.headgate.deploy;

import io.headgate.deploy.node.NodePlan;
import io.headgate.sdk.cli.output.UsageException;
import io.headgate.sdk.config.Pool;
import java.util.List;
import java.util.Optional;

/// Chooses the pool of a configuration that new agents join.
final class NodePools {
  private NodePools() {}

  /// The static pool of this model, else a static pool for any model.
  ///
  /// @param model empty: no devices
  static String forModel(String model, List<Pool> pools) {
    List<Pool> fixed = pools.stream().filter(pool -> pool.type() == Pool.Type.STATIC).toList();
    return fixed.stream()
        .filter(pool -> model.equalsIgnoreCase(pool.gpuModel()))
        .findFirst()
        .or(() -> fixed.stream().filter(pool -> pool.gpuModel() == null).findFirst())
        .map(Pool::name)
        .orElseThrow(() ->
            new UsageException(
                model.isEmpty()
                    ? "the configuration has no static pool for machines without GPUs"
                    : "the configuration has no static pool for " + model,
                "POOL_NOT_FOUND",
                "its pools: " + String.join(", ", pools.stream().map(NodePools::named).toList())));
  }

  /// Refuses to give a node devices that its pool is not for.
  ///
  /// @param model empty: no devices, which suit any pool
  static void demandFit(NodePlan node, String model, List<Pool> pools) {
    Optional<Pool> other =
        pools.stream()
            .filter(pool -> pool.name().equals(node.pool()))
            .filter(pool -> pool.gpuModel() != null && !model.equalsIgnoreCase(pool.gpuModel()))
            .findFirst();
    if (other.isPresent() && !model.isEmpty()) {
      throw new UsageException(
          "node %s belongs to pool %s, but --nodes gives it %s"
              .formatted(node.id(), named(other.get()), model),
          "POOL_MISMATCH",
          "a node stays in its pool: change gpuModel of the pool, or leave out --nodes");
    }
  }

  private static String named(Pool pool) {
    return pool.gpuModel() == null ? pool.name() : pool.name() + " (" + pool.gpuModel() + ")";
  }
}
