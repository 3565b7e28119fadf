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
    Taken taken = Taken.by(bench, "bypass", 1, true);
    if (taken.failure().filter(why -> !why.startsWith("dlopen")).isPresent()) {
      return Finding.passed("without its environment it finds no GPU: " + taken.failure().get());
    }
    return taken.open().orElseGet(() -> judge(taken));
  }

  private static Finding judge(Taken taken) {
    return taken.gpus() > 1
        ? taken.figures(
            Finding.failed("it found %d GPUs; do the walls of jobs stand?".formatted(taken.gpus())))
        : taken.judged();
  }
}
