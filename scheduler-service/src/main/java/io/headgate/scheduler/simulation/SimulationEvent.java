package io.headgate.scheduler.simulation;

import io.headgate.scheduler.core.job.Assignment;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;

/// A decision or its consequence. Times are milliseconds since the begin of the simulation.
public sealed interface SimulationEvent {
  long atMs();

  /// An event of a job.
  sealed interface OfJob extends SimulationEvent {
    String job();
  }

  /// An event of an elastic pool.
  sealed interface OfPool extends SimulationEvent {
    String pool();
  }

  /// The attempt got its slices and runs.
  record Start(long atMs, String job, int attempt, String queue, Assignment place)
      implements OfJob {}

  /// The job waits for a new reason.
  ///
  /// @param detail the numbers by name
  record Wait(long atMs, String job, String reason, Map<String, String> detail) implements OfJob {
    /// The numbers for people: `policy rnd, usage 9, need 3, limit 9`.
    public String text() {
      return text((_, value) -> value);
    }

    /// The numbers for people, with some of them worded by the caller.
    ///
    /// @param shown the text for a name and its number
    public String text(BinaryOperator<String> shown) {
      return detail.entrySet().stream()
          .map(entry -> entry.getKey() + " " + shown.apply(entry.getKey(), entry.getValue()))
          .collect(Collectors.joining(", "));
    }
  }

  /// The attempt was asked to stop because another job takes its slices.
  ///
  /// @param rule by letter and number, for example `P1`
  record Preempt(long atMs, String job, int attempt, String by, String rule) implements OfJob {}

  /// The attempt ended without having done its work; its slices are free.
  record Stop(long atMs, String job, int attempt, StopResult outcome) implements OfJob {}

  /// The fate of a job whose attempt was stopped.
  enum StopResult {
    /// It waits again in its old place.
    REQUEUED,
    /// A user or its policy cancelled it.
    CANCELLED,
    /// It exceeded its maximum run time.
    FAILED,
    /// It was lost with its node, and its policy does not requeue.
    LOST
  }

  /// The job did its work.
  record Finish(long atMs, String job, int attempt) implements OfJob {}

  /// The job was cancelled while it waited.
  record Cancel(long atMs, String job) implements OfJob {}

  /// The job's queue is gone; it no longer waits.
  record Draft(long atMs, String job) implements OfJob {
    /// The cause in all cases.
    public static final String CAUSE = "its queue is gone";
  }

  /// The wanted number of all instances of the pool changed.
  record Scale(long atMs, String pool, int instances) implements OfPool {}

  /// An instance has started and takes work.
  record Join(long atMs, String pool, String node) implements OfPool {}

  /// An idle instance is given back.
  record Leave(long atMs, String pool, String node) implements OfPool {}
}
