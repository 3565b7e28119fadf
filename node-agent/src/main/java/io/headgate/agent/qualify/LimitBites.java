package io.headgate.agent.qualify;

import java.io.IOException;

/// A job asks for more and more memory.
record LimitBites() implements Experiment {
  /// A part of the slice is its program's without having been allocated.
  private static final double LEAST = 0.75;

  @Override
  public String name() {
    return "limit bites";
  }

  @Override
  public String claim() {
    return "The driver gives a process the memory of its slice, and refuses more.";
  }

  @Override
  public String needs() {
    return "parts of a GPU that are more than watched, and libcuda";
  }

  @Override
  public Finding run(Bench bench) throws IOException, InterruptedException {
    if (bench.plan("limit", 0).mechanism().equals("watched")) {
      return Finding.notShown(
          "parts of this GPU are only watched: no MIG, no driver from 615 on with cgroup v2, and MPS"
              + " could not be tried (the log says why)");
    }
    AllocationResult taken = AllocationResult.by(bench, "limit", 1, false);
    return taken.open().orElseGet(() -> judge(taken));
  }

  private static Finding judge(AllocationResult taken) {
    if (taken.mib() > taken.limitMib() || taken.wasEndedByWatch()) {
      return taken.figures(Finding.failed("the driver gave the process more than its slice"));
    }
    return taken.figures(
        taken.mib() < LEAST * taken.limitMib()
            ? Finding.failed("the driver gave the process much less than its slice")
            : Finding.passed("the driver refused what was more than the slice"));
  }
}
