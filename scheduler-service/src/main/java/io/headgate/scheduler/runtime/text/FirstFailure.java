package io.headgate.scheduler.runtime.text;

import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.WorkerFacts;
import io.headgate.scheduler.runtime.record.WorkerFacts.EndReason;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/// Which worker of a gang failed first. The others are stopped because of it, or fail because it is
/// gone.
///
/// The machines' times of the ends decide, because a report may be late. Where two are equal, or
/// one has no time, the report that the scheduler got first decides.
final class FirstFailure {
  private static final int SIGNALS = 128;
  private static final int LAST_SIGNAL = 64;

  private FirstFailure() {}

  /// The worker; empty: none failed by itself.
  static OptionalInt of(AttemptRecord attempt) {
    // After a cancellation or a preemption no worker ends by itself.
    boolean ordered =
        attempt.attempt().stop().isPresent()
            && !(attempt.attempt().stop().get().cause() instanceof StopCause.WorkerEnded);
    if (ordered) {
      return OptionalInt.empty();
    }
    int first = reported(attempt).orElse(-1);
    for (int worker = 0; worker < attempt.workers().size(); worker++) {
      WorkerFacts facts = attempt.workers().get(worker);
      if (hasFailed(facts) && (first < 0 || isEarlier(facts, attempt.workers().get(first)))) {
        first = worker;
      }
    }
    return first < 0 ? OptionalInt.empty() : OptionalInt.of(first);
  }

  private static Optional<Integer> reported(AttemptRecord attempt) {
    return attempt
        .attempt()
        .stop()
        .map(order -> order.cause())
        .filter(StopCause.WorkerEnded.class::isInstance)
        .map(cause -> ((StopCause.WorkerEnded) cause).worker());
  }

  private static boolean hasFailed(WorkerFacts facts) {
    return facts
        .endReason()
        .filter(reason ->
            switch (reason) {
              case EXITED -> facts.exitCode().orElse(0) != 0;
              case STOPPED -> false;
              case TIME_LIMIT,
                  OUT_OF_CONTACT,
                  START_FAILED,
                  REJECTED,
                  LOST,
                  NODE_STOPPED,
                  LIMIT_EXCEEDED,
                  DEVICE_FAILED ->
                  true;
            })
        .isPresent();
  }

  private static boolean isEarlier(WorkerFacts facts, WorkerFacts than) {
    Optional<Instant> one = facts.endedAt();
    Optional<Instant> other = than.endedAt();
    return one.isPresent() && other.isPresent() && one.get().isBefore(other.get());
  }

  /// `worker 1 on n-1 failed first, with exit code 137 (signal 9): it used more memory; the other
  /// workers were stopped because of it`.
  static String sentence(AttemptRecord attempt, int worker) {
    WorkerFacts facts = attempt.workers().get(worker);
    String error = facts.error();
    return "worker %d on %s %s first%s%s; the other workers were stopped because of it"
        .formatted(
            worker,
            attempt.attempt().assignment().workers().get(worker).node().name(),
            word(facts.endReason().orElse(EndReason.LOST)),
            facts.exitCode().map(FirstFailure::code).orElse(""),
            error.isEmpty() ? "" : ": " + error);
  }

  private static String word(EndReason reason) {
    return switch (reason) {
      case EXITED, START_FAILED, LIMIT_EXCEEDED, DEVICE_FAILED -> "failed";
      case TIME_LIMIT -> "passed its time limit";
      case REJECTED -> "was rejected";
      case STOPPED, NODE_STOPPED -> "was stopped with its node";
      case OUT_OF_CONTACT, LOST -> "was lost";
    };
  }

  private static String code(int code) {
    int signal = code - SIGNALS;
    return ", with exit code "
        + code
        + (signal > 0 && signal <= LAST_SIGNAL ? " (signal " + signal + ")" : "");
  }
}
