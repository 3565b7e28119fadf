package io.headgate.agent.qualify;

import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.EndReason;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.driver.SlicePlan;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// How much memory of a GPU a job got that takes all that it can.
///
/// @param plan of its slice
/// @param mib of all its processes together, as far as they came
/// @param gpus that each of them saw at most
/// @param failure why it could take none at all
/// @param end of the job, if it has ended
record AllocationResult(
    SlicePlan plan, long mib, int gpus, Optional<String> failure, Optional<AttemptReport.End> end) {
  private static final int MIB_BITS = 20;
  private static final int STEP_MIB = 64;

  /// The watch has acted long before.
  private static final Duration WATCHED = Duration.ofSeconds(5);

  /// Runs a job in part 0 that allocates as much memory as it gets.
  ///
  /// @param processes of the job that do so, each for itself
  /// @param leaves whether it first forgets what its environment says of GPUs
  static AllocationResult by(Bench bench, String job, int processes, boolean leaves)
      throws IOException, InterruptedException {
    SlicePlan plan = bench.plan(job, 0);
    String[] words =
        (leaves ? "alone " : "")
            .concat("children %d %d %d %d")
            .formatted(
                processes,
                STEP_MIB,
                bench.gpu().memoryBytes() >> MIB_BITS,
                plan.memoryLimitBytes() >> MIB_BITS)
            .split(" ", -1);
    try (Bench.Job taking = bench.start(job, 0, words)) {
      boolean _ =
          Polling.until(
              Polling.LONG,
              () ->
                  taking.printed("held").size() + taking.printed("failed").size() >= processes
                      || taking.end().isPresent());
      long mib = sum(taking);
      if (mib > plan.memoryLimitBytes() >> MIB_BITS) {
        boolean _ = Polling.until(WATCHED, () -> taking.end().isPresent());
      }
      return new AllocationResult(
          plan,
          mib,
          taking.printed("sees").stream().mapToInt(Integer::parseInt).max().orElse(0),
          mib > 0 ? Optional.empty() : taking.printed("failed").stream().findFirst(),
          taking.end());
    }
  }

  private static long sum(Bench.Job job) throws IOException {
    return job.printed("held").stream()
        .mapToLong(line -> Long.parseLong(line.split(" ", 2)[0]))
        .sum();
  }

  long limitMib() {
    return plan.memoryLimitBytes() >> MIB_BITS;
  }

  /// Whether the driver promises to refuse memory beyond the slice, for all processes of the job
  /// together.
  boolean isRefusalPromised() {
    return plan.isolation().satisfies(IsolationLevel.DRIVER_CONTAINER);
  }

  boolean wasEndedByWatch() {
    return end.filter(ended -> ended.reason() == EndReason.LIMIT_EXCEEDED).isPresent();
  }

  /// The finding if the job's use shows nothing; empty: it can be judged.
  Optional<Finding> open() {
    if (failure.isPresent()) {
      return Optional.of(
          Finding.notShown("no program could use the GPU: %s".formatted(failure.get())));
    }
    return mib == 0 && end.isPresent() && !wasEndedByWatch()
        ? Optional.of(
            Finding.failed(
                "the job did not run: %s"
                    .formatted(end.get().error().orElse(end.get().reason().toString()))))
        : Optional.empty();
  }

  /// Whether the mechanism kept its promise to hold the job to its slice.
  Finding judged() {
    Finding found;
    if (wasEndedByWatch()) {
      found =
          isRefusalPromised()
              ? Finding.failed("the driver refused nothing; only the watch ended the job")
              : Finding.passed("the watch ended the job when it had more than its slice");
    } else if (mib > limitMib()) {
      found = Finding.failed("the job has more than its slice, and nothing ended it");
    } else {
      found = Finding.passed("the driver refused what was more than the slice");
    }
    return figures(found);
  }

  Finding figures(Finding finding) {
    List<String> ending = end.flatMap(AttemptReport.End::error).map(List::of).orElseGet(List::of);
    Finding with =
        finding
            .with("mechanism", plan.mechanism())
            .with("slice MiB", limitMib())
            .with("taken MiB", mib);
    return ending.isEmpty() ? with : with.with("ended", ending.getFirst());
  }
}
