package io.headgate.agent.qualify;

import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.EndReason;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.process.BootClock;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// A program takes more than its slice where nothing but the watch keeps it from that.
record WatchIsQuick() implements Experiment {
  private static final Duration BOUND = Duration.ofSeconds(1);
  private static final int MIB_BITS = 20;
  private static final int STEP_MIB = 64;
  private static final int EXCESS_MIB = 1024;

  @Override
  public String name() {
    return "watchdog latency";
  }

  @Override
  public String claim() {
    return "A job that has more memory than its slice has ended a second later.";
  }

  @Override
  public String needs() {
    return "parts of a GPU whose programs can have too much: made by MPS, or watched; and libcuda";
  }

  @Override
  public Finding run(Bench bench) throws IOException, InterruptedException {
    SlicePlan plan = bench.plan("watch", 0);
    if (plan.isolation().satisfies(IsolationLevel.DRIVER_CONTAINER)) {
      return Finding.notShown("the driver refuses what the watch would have to see");
    }
    long limitMib = plan.memoryLimitBytes() >> MIB_BITS;
    String words = "alone fill %d %d %d".formatted(STEP_MIB, limitMib + EXCESS_MIB, limitMib);
    try (Bench.Job job = bench.start("watch", 0, words.split(" ", -1))) {
      boolean _ =
          Polling.until(
              Polling.LONG,
              () ->
                  !job.printed("held").isEmpty()
                      || !job.printed("failed").isEmpty()
                      || job.end().isPresent());
      boolean ended = Polling.until(Duration.ofSeconds(10), () -> job.end().isPresent());
      long endedMs = BootClock.nowMs();
      List<String> passed = job.printed("passed");
      if (passed.isEmpty()) {
        return Finding.notShown(
            "the program got no more than its slice: %s"
                .formatted(String.join("; ", job.printed("held"))));
      }
      if (!ended) {
        return Finding.failed("nothing ended the job");
      }
      return judge(job.end(), endedMs - Long.parseLong(passed.getFirst()))
          .with("mechanism", plan.mechanism());
    }
  }

  private static Finding judge(Optional<AttemptReport.End> end, long ms) {
    EndReason reason = end.orElseThrow().reason();
    if (reason != EndReason.LIMIT_EXCEEDED) {
      return Finding.failed("the job ended, but not by the watch: %s".formatted(reason));
    }
    Finding found =
        ms <= BOUND.toMillis()
            ? Finding.passed("the job had ended in time, and its slice was free")
            : Finding.failed("the job ended too late");
    return found.with("from the excess to the end, ms", ms);
  }
}
