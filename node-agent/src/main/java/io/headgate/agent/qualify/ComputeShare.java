package io.headgate.agent.qualify;

import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.driver.SlicePlan;
import java.io.IOException;
import java.util.List;

/// A program computes alone, and then beside a neighbour that computes too.
record ComputeShare() implements Experiment {
  /// It is stopped long before.
  private static final String SECONDS = "120";

  /// Tenths of a second that are measured.
  private static final int TICKS = 6;

  private static final double LEAST = 0.75;

  @Override
  public String name() {
    return "compute share";
  }

  @Override
  public String claim() {
    return "A neighbour takes no processors from a part that has its own.";
  }

  @Override
  public String needs() {
    return "parts of a GPU by MIG, and libcuda";
  }

  @Override
  public Finding run(Bench bench) throws IOException, InterruptedException {
    SlicePlan plan = bench.plan("compute", 0);
    double alone;
    double beside;
    try (Bench.Job job = bench.start("compute", 0, "spin", SECONDS)) {
      alone = kernelsPerSecond(job);
      try (Bench.Job neighbour = bench.start("compute-neighbour", 1, "spin", SECONDS)) {
        boolean _ =
            Polling.until(
                Polling.LONG,
                () -> !neighbour.printed("spun").isEmpty() || neighbour.end().isPresent());
        beside = kernelsPerSecond(job);
        if (neighbour.end().isPresent()) {
          return Finding.notShown("no neighbour could compute: " + neighbour.failure());
        }
      }
      if (alone == 0) {
        return Finding.notShown("no program could compute: " + job.failure());
      }
    }
    return judge(plan.isolation(), beside / alone)
        .with("mechanism", plan.mechanism())
        .with("kernels a second alone", Math.round(alone))
        .with("beside a neighbour", Math.round(beside));
  }

  private static Finding judge(IsolationLevel isolation, double share) {
    if (!isolation.satisfies(IsolationLevel.HARDWARE)) {
      return Finding.notShown("parts made like this have no processors of their own");
    }
    return share >= LEAST
        ? Finding.passed("beside a neighbour it computes as it does alone")
        : Finding.failed("beside a neighbour it computes less");
  }

  /// From now on for a while; 0: it does not compute.
  private static double kernelsPerSecond(Bench.Job job) throws IOException, InterruptedException {
    int before = job.printed("spun").size();
    boolean counted =
        Polling.until(
            Polling.LONG,
            () -> job.printed("spun").size() > before + TICKS || job.end().isPresent());
    List<String> told = job.printed("spun");
    if (!counted || told.size() <= before + TICKS) {
      return 0;
    }
    String[] first = told.get(before).split(" ", 2);
    String[] last = told.get(before + TICKS).split(" ", 2);
    double seconds = (Long.parseLong(last[0]) - Long.parseLong(first[0])) / 1000.0;
    return (Long.parseLong(last[1]) - Long.parseLong(first[1])) / seconds;
  }
}
