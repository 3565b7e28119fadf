package io.headgate.agent.qualify;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Compares the GPU after all other experiments with its state before them.
///
/// @param before the state before the experiments
/// @param patience with a driver that shows a process for a moment longer than it lives
record NothingIsLeft(List<String> before, Duration patience) implements Experiment {
  @Override
  public String name() {
    return "nothing is left";
  }

  @Override
  public String claim() {
    return "After all of this the GPU is as it was.";
  }

  @Override
  public String needs() {
    return "a GPU";
  }

  @Override
  public boolean usesProbe() {
    return false;
  }

  @Override
  public Finding run(Bench bench) throws IOException, InterruptedException {
    boolean _ = Polling.until(patience, () -> more(bench).isEmpty());
    List<String> more = more(bench);
    return more.isEmpty()
        ? Finding.passed("nothing is on it that was not before")
        : Finding.failed("on it is now %s".formatted(String.join(", ", more)));
  }

  private List<String> more(Bench bench) {
    List<String> more = new ArrayList<>(bench.strangers());
    more.removeAll(before);
    return more;
  }
}
