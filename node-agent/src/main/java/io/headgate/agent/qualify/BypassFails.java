package io.headgate.agent.qualify;

import java.io.IOException;

/// A program forgets what its environment says of GPUs and asks for all that it can get.
record BypassFails() implements Experiment {
  @Override
  public String name() {
    return "bypass attempts";
  }

  @Override
  public String claim() {
    return "A program that leaves its environment gets no other GPU and no more memory for good.";
  }

  @Override
  public String needs() {
    return "parts of a GPU, and libcuda";
  }

  @Override
  public Finding run(Bench bench) throws IOException, InterruptedException {
    // Where it finds no GPU in its place either, that it finds none outside says nothing.
    try (Bench.Job usual = bench.start("bypass-not", 0, "fill", "64", "64", "64")) {
      boolean _ =
          Polling.until(
              Polling.LONG, () -> !usual.printed("held").isEmpty() || usual.end().isPresent());
      if (usual.printed("held").isEmpty()) {
        return Finding.notShown("no program could use the GPU: " + usual.failure());
      }
    }
    AllocationResult taken = AllocationResult.by(bench, "bypass", 1, true);
    if (taken.failure().isPresent()) {
      return Finding.passed("without its environment it finds no GPU: " + taken.failure().get());
    }
    return taken.open().orElseGet(() -> judge(taken));
  }

  private static Finding judge(AllocationResult taken) {
    return taken.gpus() > 1
        ? taken.figures(
            Finding.failed("it found %d GPUs; do the walls of jobs stand?".formatted(taken.gpus())))
        : taken.judged();
  }
}
