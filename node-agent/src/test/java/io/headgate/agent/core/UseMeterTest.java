package io.headgate.agent.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.core.UseMeter.Part;
import io.headgate.agent.core.UseMeter.Sample;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

/// The GPU time in which an attempt's slices computed is added up from samples of its devices.
class UseMeterTest {
  private static final AttemptKey A = key("a");
  private static final AttemptKey B = key("b");

  private final UseMeter meter = new UseMeter();

  private static AttemptKey key(String job) {
    return new AttemptKey(new JobName("acme", job), "", 1, 0);
  }

  private static Part part(AttemptKey attempt, String device, String gpus) {
    return new Part(attempt.job() + device, attempt, device, GpuQuantity.parse(gpus));
  }

  private static long at(long seconds) {
    return Duration.ofSeconds(seconds).toNanos();
  }

  private static Sample sample(long seconds, double computing, Map<AttemptKey, Double> each) {
    return new Sample(
        "gpu-0", OptionalDouble.of(computing), Optional.of(each), Map.of(), at(seconds));
  }

  private static Sample untold(long seconds, OptionalDouble computing) {
    return new Sample("gpu-0", computing, Optional.empty(), Map.of(), at(seconds));
  }

  private AttemptUse use(AttemptKey attempt) {
    return meter.use(attempt).orElseThrow();
  }

  /// 10 s at 30 % and 10 s at 90 %: 12 s of 20 s.
  @Test
  void aSampleStandsForTheTimeSinceTheOneBefore() {
    List<Part> parts = List.of(part(A, "gpu-0", "1"));
    meter.began(A, parts, at(0));
    meter.take(untold(10, OptionalDouble.of(0.3)), parts);
    meter.take(untold(20, OptionalDouble.of(0.9)), parts);
    assertThat(use(A).busyMillis()).isEqualTo(12_000);
    assertThat(use(A).measuredMillis()).isEqualTo(20_000);
    assertThat(use(A).utilization()).hasValue(0.9);
  }

  /// a has 1/2 and computes 30 % of the time, b has 1/4 and 60 %: b counts as busy all the time.
  @Test
  void aSliceOfASharedDeviceIsNeverBusierThanItsPart() {
    List<Part> parts = List.of(part(A, "gpu-0", "1/2"), part(B, "gpu-0", "1/4"));
    meter.began(A, parts.subList(0, 1), at(0));
    meter.began(B, parts.subList(1, 2), at(0));
    meter.take(sample(10, 0.9, Map.of(A, 0.3, B, 0.6)), parts);
    assertThat(use(A).busyMillis()).isEqualTo(3_000);
    assertThat(use(A).measuredMillis()).isEqualTo(5_000);
    assertThat(use(B).busyMillis()).isEqualTo(2_500);
    assertThat(use(B).measuredMillis()).isEqualTo(2_500);
  }

  @Test
  void anAttemptWithoutAComputingProcessIsIdle() {
    List<Part> parts = List.of(part(A, "gpu-0", "1/2"), part(B, "gpu-0", "1/2"));
    meter.began(A, parts.subList(0, 1), at(0));
    meter.began(B, parts.subList(1, 2), at(0));
    meter.take(sample(10, 0.5, Map.of(A, 0.5)), parts);
    assertThat(use(B).busyMillis()).isZero();
    assertThat(use(B).measuredMillis()).isEqualTo(5_000);
  }

  @Test
  void nothingIsMeasuredWhereAnothersProcessComputesForTheJobs() {
    List<Part> parts = List.of(part(A, "gpu-0", "1/2"), part(B, "gpu-0", "1/2"));
    meter.began(A, parts.subList(0, 1), at(0));
    meter.began(B, parts.subList(1, 2), at(0));
    meter.take(sample(10, 0.9, Map.of()), parts);
    assertThat(meter.use(A)).isEmpty();
  }

  @Test
  void nothingIsMeasuredWhereTheDriverDoesNotTell() {
    List<Part> parts = List.of(part(A, "gpu-0", "1"));
    meter.began(A, parts, at(0));
    meter.take(untold(10, OptionalDouble.empty()), parts);
    assertThat(meter.use(A)).isEmpty();
    meter.take(untold(20, OptionalDouble.of(1)), parts);
    assertThat(use(A).measuredMillis()).isEqualTo(10_000);
  }

  /// Slices exist until 10 s and from 100 s on.
  @Test
  void theTimeOfASuspensionIsNotMeasured() {
    List<Part> parts = List.of(part(A, "gpu-0", "1"));
    meter.began(A, parts, at(0));
    meter.take(untold(10, OptionalDouble.of(1)), parts);
    meter.take(untold(50, OptionalDouble.of(1)), List.of());
    meter.take(untold(100, OptionalDouble.of(1)), parts);
    meter.take(untold(110, OptionalDouble.of(1)), parts);
    assertThat(use(A).measuredMillis()).isEqualTo(20_000);
  }

  @Test
  void addsUpSlicesOfSeveralDevices() {
    Part first = part(A, "gpu-0", "1");
    Part second = part(A, "gpu-1", "1");
    meter.began(A, List.of(first, second), at(0));
    meter.take(
        new Sample("gpu-0", OptionalDouble.of(1), Optional.empty(), Map.of(A, 5L), at(10)),
        List.of(first));
    meter.take(
        new Sample("gpu-1", OptionalDouble.of(0.5), Optional.empty(), Map.of(A, 7L), at(10)),
        List.of(second));
    assertThat(use(A).busyMillis()).isEqualTo(15_000);
    assertThat(use(A).measuredMillis()).isEqualTo(20_000);
    assertThat(use(A).utilization()).hasValue(0.75);
    assertThat(use(A).memoryBytes()).hasValue(12);
  }
}
