package io.headgate.agent.qualify;

import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.SlicePlan;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/// An agent is killed while a job of its runs, and another takes its place.
///
/// @param patience with the other, which serves before it has found everything
record CrashAdoption(Duration patience) implements Experiment {
  private static final String JOB = "adopted";

  @Override
  public String name() {
    return "crash re-adoption";
  }

  @Override
  public String claim() {
    return "A job outlives its agent; the next one finds it and its slice, and removes the slice"
        + " afterwards.";
  }

  @Override
  public String needs() {
    return "parts of a GPU, and libcuda";
  }

  @Override
  public Finding run(Bench bench) throws IOException, InterruptedException {
    SlicePlan plan = bench.plan(JOB, 0);
    List<String> failed;
    boolean ran;
    boolean found;
    try (Bench.Job job = bench.startAndAdopt(JOB, 0, "fill", "64", "64", "64")) {
      failed = job.printed("failed");
      ran = job.end().isEmpty() && !job.printed("held").isEmpty();
      found = Polling.until(patience, job::hasSlice);
    }
    if (!failed.isEmpty()) {
      return Finding.notShown("no program could use the GPU: %s".formatted(failed.getFirst()));
    }
    if (!ran) {
      return Finding.failed("the job had ended with its agent");
    }
    if (!found) {
      return Finding.failed("the next agent found the job, but not its slice");
    }
    try {
      bench.driver().requireRoom(List.of(plan));
    } catch (GpuDriverException e) {
      return Finding.failed("its slice is left: %s".formatted(e.getMessage()));
    }
    return Finding.passed("the job ran on, was found, and is gone with its slice")
        .with("mechanism", plan.mechanism());
  }
}
