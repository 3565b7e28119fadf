package io.headgate.agent.qualify;

import java.io.IOException;

/// Several processes of a job ask for all that each can get.
record ChildrenTogether() implements Experiment {
  private static final int PROCESSES = 3;

  @Override
  public String name() {
    return "child processes";
  }

  @Override
  public String claim() {
    return "All processes of a job together are held to its slice: refused by the driver, or ended by"
        + " the watch.";
  }

  @Override
  public String needs() {
    return "parts of a GPU, and libcuda";
  }

  @Override
  public Finding run(Bench bench) throws IOException, InterruptedException {
    AllocationResult taken = AllocationResult.by(bench, "children", PROCESSES, false);
    return taken.open().orElseGet(() -> taken.judged().with("processes", PROCESSES));
  }
}
