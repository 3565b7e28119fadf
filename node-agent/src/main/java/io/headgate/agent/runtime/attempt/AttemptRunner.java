package io.headgate.agent.runtime.attempt;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.StopOrder;
import java.util.function.Consumer;

/// Looks after one attempt: starts it or finds it running, follows its supervisor, passes commands
/// on, and frees its slices at the end. Whatever happens is told as an input. Its methods return at
/// once; used by the loop alone.
public interface AttemptRunner {

  /// Starts the attempt, or finds the supervisor that did, and follows it to its end.
  void start();

  /// The control plane was heard from at that time of the boot clock.
  void contact(long bootMs);

  /// Stops the job, or suspends it, now or as soon as its supervisor is there.
  void stop(StopOrder stop);

  /// Has the job go on, which is suspended.
  void resume();

  /// Frees the slices; first kills what may live without a supervisor, if asked to.
  void release(boolean killRemains);

  /// Lets go of the job, which runs on.
  void detach();

  /// Takes attempts into care.
  @FunctionalInterface
  interface Factory {
    AttemptRunner of(Assignment assignment, Consumer<Input> inputs);
  }
}
