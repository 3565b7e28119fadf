package io.headgate.agent.qualify;

import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.driver.SlicePlan;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/// A program writes where there is no memory while its neighbour computes.
///
/// @param patience with each of both
record FaultsStay(Duration patience) implements Experiment {
  /// It is stopped long before.
  private static final String SECONDS = "120";

  @Override
  public String name() {
    return "fault spill-over";
  }

  @Override
  public String claim() {
    return "A program that breaks its part of a GPU breaks no other's.";
  }

  @Override
  public String needs() {
    return "parts of a GPU, and libcuda; promised by MIG only";
  }

  @Override
  public Finding run(Bench bench) throws IOException, InterruptedException {
    SlicePlan plan = bench.plan("fault", 0);
    try (Bench.Job neighbour = bench.start("fault-neighbour", 1, "spin", SECONDS)) {
      if (!computes(neighbour)) {
        return Finding.notShown("no neighbour could compute: " + neighbour.failure());
      }
      try (Bench.Job job = bench.start("fault", 0, "fault")) {
        boolean _ = Polling.until(patience, () -> job.end().isPresent());
        List<String> faulted = job.printed("faulted");
        if (faulted.isEmpty() || faulted.getFirst().equals("not")) {
          return Finding.notShown("no program could break its part: " + job.failure());
        }
        return judge(plan.isolation(), computes(neighbour), neighbour.failure())
            .with("mechanism", plan.mechanism())
            .with("fault", faulted.getFirst());
      }
    }
  }

  /// Whether the job still computes as before. A job that stands still does not.
  private boolean computes(Bench.Job job) throws IOException, InterruptedException {
    int before = job.printed("spun").size();
    boolean isHeard =
        Polling.until(
            patience, () -> job.printed("spun").size() > before + 1 || job.end().isPresent());
    return isHeard && job.end().isEmpty();
  }

  private static Finding judge(IsolationLevel isolation, boolean computes, String why) {
    if (computes) {
      return Finding.passed("its neighbour computed on");
    }
    return isolation.satisfies(IsolationLevel.HARDWARE)
        ? Finding.failed("its neighbour broke too: " + why)
        : Finding.notShown("its neighbour broke too, which is not promised here: " + why);
  }
}
