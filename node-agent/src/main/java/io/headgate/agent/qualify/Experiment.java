package io.headgate.agent.qualify;

import java.io.IOException;

/// One claim about GPUs, and how a machine shows whether it holds. It changes no mode, resets
/// nothing, and ends all jobs that it started.
public interface Experiment {
  /// A few words, the same for ever: reports are compared by it.
  String name();

  /// The claim, in one sentence.
  String claim();

  /// The requirement on the machine; without it, the experiment shows nothing.
  String needs();

  /// Whether it has the probe do something.
  default boolean usesProbe() {
    return true;
  }

  /// Does it, in bounded time.
  ///
  /// @throws io.headgate.agent.driver.GpuDriverException when the driver refuses a call that should
  ///   succeed
  /// @throws IOException when the machine does
  Finding run(Bench bench) throws IOException, InterruptedException;
}
