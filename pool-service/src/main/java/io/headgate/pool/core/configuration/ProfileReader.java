package io.headgate.pool.core.configuration;

import io.headgate.kit.decision.Problems;
import io.headgate.pool.core.Denial;
import io.headgate.pool.core.FieldChecks;
import io.headgate.pool.core.configuration.ConfigurationSpec.ProfileSpec;
import io.headgate.pool.core.name.Kind;
import io.headgate.pool.core.name.PoolId;
import io.headgate.pool.core.name.ProfileId;
import io.headgate.pool.core.node.Isolation;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Reads one profile and checks everything that does not depend on others.
final class ProfileReader {
  private static final int MAX_WORKERS = 10_000;
  private static final long MAX_CPU_MILLIS = 1_000_000_000;
  private static final int MAX_POOLS = 100;
  private static final int MAX_MODELS = 100;
  private static final int MAX_MODEL_LENGTH = 64;
  private static final int MAX_DESCRIPTION_LENGTH = 1000;

  private final Problems<Denial> problems;
  private final FieldChecks checks;

  ProfileReader(Problems<Denial> problems) {
    this.problems = problems;
    this.checks = new FieldChecks(problems);
  }

  /// The profile; empty if it has no id or no quantity.
  ///
  /// @param path of the profile in the request
  Optional<Profile> read(String path, ProfileSpec spec) {
    Optional<ProfileId> id = checks.id(path + ".name", Kind.PROFILE, spec.id(), ProfileId::new);
    Optional<GpuQuantity> gpus = gpus(path, spec);
    int workers = spec.workers() == 0 ? 1 : spec.workers();
    checks.within(path + ".workers", workers, 1, MAX_WORKERS);
    checks.within(path + ".cpu_millis", spec.cpuMillis(), 0, MAX_CPU_MILLIS);
    checks.within(path + ".memory_bytes", spec.memoryBytes(), 0, Long.MAX_VALUE);
    checks.within(path + ".gpu_memory_bytes", spec.gpuMemoryBytes(), 0, Long.MAX_VALUE);
    checks.within(path + ".pools", spec.pools().size(), 0, MAX_POOLS);
    List<PoolId> pools = checks.pools(path + ".pools", spec.pools());
    Duration holdAfter = spec.holdAfter().orElse(Profile.DEFAULT_HOLD_AFTER);
    checks.duration(path + ".hold_after", holdAfter);
    Duration preemptionDelay = spec.preemptionDelay().orElse(Profile.DEFAULT_PREEMPTION_DELAY);
    checks.duration(path + ".preemption_delay", preemptionDelay);
    checkModels(path + ".gpu_models", spec.gpuModels());
    checks.text(path + ".description", spec.description(), MAX_DESCRIPTION_LENGTH);
    if (id.isEmpty() || gpus.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new Profile(
            id.get(),
            gpus.get(),
            workers,
            spec.cpuMillis(),
            spec.memoryBytes(),
            spec.gpuMemoryBytes(),
            spec.isolation(),
            spec.gpuModels(),
            spec.images(),
            pools,
            holdAfter,
            preemptionDelay,
            spec.reclaim(),
            spec.description()));
  }

  private void checkModels(String path, List<String> models) {
    checks.within(path, models.size(), 0, MAX_MODELS);
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < models.size(); i++) {
      String model = models.get(i);
      checks.text(path + "[" + i + "]", model, MAX_MODEL_LENGTH);
      if (model.isBlank()) {
        problems.add(
            new Denial.Contradiction(path + "[" + i + "]", "a model without a name: leave it out"));
      } else if (!seen.add(model)) {
        problems.add(
            new Denial.Contradiction(
                path + "[" + i + "]", "'" + model + "' is named twice: name it once"));
      }
    }
  }

  private Optional<GpuQuantity> gpus(String path, ProfileSpec spec) {
    Optional<GpuQuantity> gpus = checks.quantity(path + ".gpus", spec.gpus());
    if (gpus.isEmpty()) {
      return gpus;
    }
    if (!gpus.get().isWhole() && !gpus.get().isFraction()) {
      problems.add(new Denial.FractionAboveOne(path + ".gpus", gpus.get()));
      return Optional.empty();
    }
    if (gpus.get().equals(GpuQuantity.ZERO)) {
      if (spec.gpuMemoryBytes() > 0) {
        problems.add(
            new Denial.Contradiction(
                path + ".gpu_memory_bytes",
                "a profile without GPUs has no GPU memory: leave it out, or set gpus"));
      }
      if (!spec.gpuModels().isEmpty()) {
        problems.add(
            new Denial.Contradiction(
                path + ".gpu_models",
                "a profile without GPUs has no GPU model: leave it out, or set gpus"));
      }
      if (spec.isolation() != Isolation.NONE) {
        problems.add(
            new Denial.Contradiction(
                path + ".isolation",
                "a profile without GPUs has no slice to isolate: leave it out, or set gpus"));
      }
    }
    return gpus;
  }
}
