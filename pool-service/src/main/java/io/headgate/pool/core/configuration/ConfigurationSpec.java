package io.headgate.pool.core.configuration;

import io.headgate.pool.core.node.Isolation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A configuration as a request describes it: unchecked texts, where an empty text is an absent
/// one.
public record ConfigurationSpec(List<PoolSpec> pools, List<ProfileSpec> profiles) {
  public ConfigurationSpec {
    pools = List.copyOf(pools);
    profiles = List.copyOf(profiles);
  }

  /// See {@link Pool}.
  public record PoolSpec(
      String id,
      boolean elastic,
      String gpuModel,
      String capacity,
      boolean migAuto,
      List<String> order,
      Optional<DedicationSpec> dedicatedTo,
      String pricePerGpuHour,
      String currency,
      String storage,
      Optional<ElasticitySpec> elasticity,
      Optional<Instance> instance,
      PoolRules rules,
      String description) {
    public PoolSpec {
      order = List.copyOf(order);
    }
  }

  /// See {@link Dedication}.
  public sealed interface DedicationSpec {
    record ToPolicy(String policy) implements DedicationSpec {}

    record ToGroup(String group) implements DedicationSpec {}
  }

  /// See {@link Elasticity}.
  public record ElasticitySpec(
      String provider,
      Map<String, String> settings,
      Instance instance,
      int minInstances,
      int maxInstances,
      Optional<Duration> idleTimeout,
      boolean spot) {
    public ElasticitySpec {
      settings = Map.copyOf(settings);
    }
  }

  /// See {@link Profile}.
  ///
  /// @param workers 0 means one worker
  public record ProfileSpec(
      String id,
      String gpus,
      int workers,
      long cpuMillis,
      long memoryBytes,
      long gpuMemoryBytes,
      Isolation isolation,
      List<String> gpuModels,
      boolean images,
      List<String> pools,
      Optional<Duration> holdAfter,
      Optional<Duration> preemptionDelay,
      Reclaim reclaim,
      String description) {
    public ProfileSpec {
      gpuModels = List.copyOf(gpuModels);
      pools = List.copyOf(pools);
    }
  }
}
