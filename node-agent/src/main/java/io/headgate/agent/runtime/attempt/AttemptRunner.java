package io.headgate.agent.runtime.attempt;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.Rendezvous;
import io.headgate.agent.core.StopOrder;
import java.util.function.Consumer;

/// Looks after one attempt: starts it or finds it running, follows its supervisor, passes commands
/// on, and frees its slices at the end. Each event reaches the loop as an input. Its methods return
/// at once; used by the loop alone.
public interface AttemptRunner {

  /// Starts the attempt, or finds the supervisor that did, and follows it to its end.
  void start();

  /// Reports a contact with the control plane at that time of the boot clock.
  void contact(long bootMs);

  /// Starts the program, now or once the worker is prepared.
  void go(Rendezvous rendezvous);

  /// Stops the job, or suspends it, now or as soon as its supervisor is there.
  void stop(StopOrder stop);

  /// Resumes a suspended job.
  void resume();

  /// Frees the slices. If asked to, first kills processes that may live without a supervisor.
  void release(boolean killRemains);

  /// Leaves the job, which runs on.
  void detach();

  /// Creates the runners of attempts.
  @FunctionalInterface
  interface Factory {
    AttemptRunner of(Assignment assignment, Consumer<Input> inputs);
  }
}
