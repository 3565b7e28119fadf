package io.headgate.agent.core;

import io.headgate.type.GpuQuantity;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Adds up from samples how long slices computed. A sample of a device stands for the time since
/// its last sample, or since the slice began. Pure, and confined to one thread at a time.
///
/// Example: a slice of 1/2 that computed in 30 % of the last 10 s was busy for min(1/2, 0.3) x 10 s
/// = 3 s of GPU time, of 5 s measured. A slice is never busier than its part, so the busy time of a
/// device's slices is never more than the device's time.
public final class UseMeter {
  /// Below this part, what the attempts are said to compute does not explain what the device
  /// computes, as where a daemon computes for them. Nothing is measured then.
  private static final double EXPLAINED = 0.5;

  private static final long NANOS_PER_MICRO = 1_000;
  private static final long MICROS_PER_MILLI = 1_000;

  private final Map<AttemptKey, Sums> sums = new HashMap<>();

  /// A slice that exists.
  ///
  /// @param name tells it from all other slices of the machine
  public record Part(String name, AttemptKey attempt, String deviceUuid, GpuQuantity gpus) {}

  /// The reading of one look at a device.
  ///
  /// @param computing part of the device's time in which it computed for anyone; empty: unknown
  /// @param byAttempt part of the device's time in which it computed for each; empty: the driver
  ///   does not tell attempts apart
  /// @param memoryBytes of each attempt that has some
  public record Sample(
      String deviceUuid,
      OptionalDouble computing,
      Optional<Map<AttemptKey, Double>> byAttempt,
      Map<AttemptKey, Long> memoryBytes,
      long nanos) {
    /// The part of the device's time in which it computed for the attempt.
    private OptionalDouble computing(AttemptKey attempt, boolean isAlone) {
      if (isAlone) {
        return computing;
      }
      return byAttempt.isPresent() && isExplained(byAttempt.get())
          ? OptionalDouble.of(byAttempt.get().getOrDefault(attempt, 0.0))
          : OptionalDouble.empty();
    }

    private boolean isExplained(Map<AttemptKey, Double> told) {
      double all = told.values().stream().mapToDouble(part -> part).sum();
      return all >= EXPLAINED * computing.orElse(0);
    }
  }

  private static final class Sums {
    private final Map<String, Slice> slices = new HashMap<>();
    private long busyMicros;
    private long measuredMicros;
  }

  /// @param since until when it is measured
  /// @param busy part of the slice at the last sample; negative: not measured
  private record Slice(Part part, long since, double busy, OptionalLong memoryBytes) {}

  /// The attempt has these slices from now on; none of them was sampled yet.
  public void began(AttemptKey attempt, List<Part> parts, long nanos) {
    Sums its = sums.computeIfAbsent(attempt, _ -> new Sums());
    parts.forEach(part ->
        its.slices.putIfAbsent(part.name(), new Slice(part, nanos, -1, OptionalLong.empty())));
  }

  /// Takes a sample of a device.
  ///
  /// @param parts the slices of the device that exist now
  public void take(Sample sample, List<Part> parts) {
    Set<AttemptKey> attempts = new HashSet<>();
    parts.forEach(part -> attempts.add(part.attempt()));
    for (Map.Entry<AttemptKey, Sums> each : sums.entrySet()) {
      // A suspended attempt has no slices for a while, and nothing is measured then.
      each.getValue()
          .slices
          .values()
          .removeIf(slice ->
              slice.part().deviceUuid().equals(sample.deviceUuid())
                  && parts.stream().noneMatch(part -> part.name().equals(slice.part().name())));
    }
    for (AttemptKey attempt : attempts) {
      @Nullable Sums its = sums.get(attempt);
      if (its != null) {
        List<Part> own = parts.stream().filter(part -> part.attempt().equals(attempt)).toList();
        add(its, own, sample, attempts.size() == 1);
      }
    }
  }

  private static void add(Sums its, List<Part> own, Sample sample, boolean isAlone) {
    AttemptKey attempt = own.getFirst().attempt();
    OptionalDouble computing = sample.computing(attempt, isAlone);
    long held = own.stream().mapToLong(part -> part.gpus().units()).sum();
    // Both the time and the part of the device bound what is counted.
    double busy =
        computing.isPresent() && held > 0
            ? Math.min(1, computing.getAsDouble() * GpuQuantity.UNITS_PER_GPU / held)
            : -1;
    @Nullable Long bytes = sample.memoryBytes().get(attempt);
    OptionalLong memory = bytes == null ? OptionalLong.empty() : OptionalLong.of(bytes);
    for (Part part : own) {
      @Nullable Slice before = its.slices.get(part.name());
      if (before != null && busy >= 0) {
        long micros = Math.max(0, sample.nanos() - before.since()) / NANOS_PER_MICRO;
        long gpuMicros = micros * part.gpus().units() / GpuQuantity.UNITS_PER_GPU;
        its.measuredMicros += gpuMicros;
        its.busyMicros += Math.round(gpuMicros * busy);
      }
      its.slices.put(part.name(), new Slice(part, sample.nanos(), busy, memory));
      memory = memory.isPresent() ? OptionalLong.of(0) : memory;
    }
  }

  /// The attempt's use so far; empty: it was never measured.
  public Optional<AttemptUse> use(AttemptKey attempt) {
    @Nullable Sums its = sums.get(attempt);
    if (its == null) {
      return Optional.empty();
    }
    long units = 0;
    double busyUnits = 0;
    OptionalLong memory = OptionalLong.empty();
    for (Slice slice : its.slices.values()) {
      if (slice.busy() >= 0) {
        units += slice.part().gpus().units();
        busyUnits += slice.busy() * slice.part().gpus().units();
      }
      if (slice.memoryBytes().isPresent()) {
        memory = OptionalLong.of(memory.orElse(0) + slice.memoryBytes().getAsLong());
      }
    }
    if (units == 0 && memory.isEmpty() && its.measuredMicros == 0) {
      return Optional.empty();
    }
    return Optional.of(
        new AttemptUse(
            attempt,
            its.busyMicros / MICROS_PER_MILLI,
            its.measuredMicros / MICROS_PER_MILLI,
            units == 0 ? OptionalDouble.empty() : OptionalDouble.of(busyUnits / units),
            memory,
            false));
  }

  /// Forgets the attempt.
  public void ended(AttemptKey attempt) {
    sums.remove(attempt);
  }

  /// The attempts that are measured.
  public Set<AttemptKey> attempts() {
    return Set.copyOf(sums.keySet());
  }
}
