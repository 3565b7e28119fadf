package io.headgate.scheduler.runtime.text;

import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptEnding;
import io.headgate.scheduler.core.job.StopOrder;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.AttemptRecord.Ending;
import io.headgate.scheduler.runtime.record.AttemptRecord.Outcome;
import io.headgate.scheduler.runtime.record.Cancellation;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.WorkerFacts;
import io.headgate.scheduler.runtime.record.WorkerFacts.EndReason;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/// How attempts and jobs ended, in the words of the contract.
public final class EndText {
  private EndText() {}

  /// The end of an attempt. The end of a gang names the worker that failed first.
  public static Ending of(AttemptRecord attempt, AttemptEnding ending, Instant now) {
    Ending plain = plain(attempt, ending, now);
    OptionalInt first =
        attempt.workers().size() > 1 ? FirstFailure.of(attempt) : OptionalInt.empty();
    if (first.isEmpty()) {
      return plain;
    }
    WorkerFacts facts = attempt.workers().get(first.getAsInt());
    return new Ending(
        plain.at(),
        plain.outcome(),
        facts.exitCode().or(plain::exitCode),
        FirstFailure.sentence(attempt, first.getAsInt()));
  }

  private static Ending plain(AttemptRecord attempt, AttemptEnding ending, Instant now) {
    return switch (ending) {
      case AttemptEnding.Exited(int code) -> exited(attempt, code, now);
      case AttemptEnding.Stopped() ->
          new Ending(now, stopOutcome(attempt), reportedCode(attempt), firstError(attempt));
      case AttemptEnding.Rejected(String reason) ->
          new Ending(now, Outcome.REJECTED, Optional.empty(), reason);
      case AttemptEnding.Lost() -> {
        String error = firstError(attempt);
        yield new Ending(
            now,
            Outcome.LOST,
            Optional.empty(),
            error.isEmpty() ? "its node is gone, or lost contact for too long" : error);
      }
    };
  }

  public static Attempt withStop(Attempt attempt, StopOrder order) {
    return new Attempt(
        attempt.id(),
        attempt.policy(),
        attempt.profile(),
        attempt.assignment(),
        attempt.preemptible(),
        attempt.sequence(),
        attempt.assignedAt(),
        attempt.startedAt(),
        attempt.checkpointAt(),
        attempt.workers(),
        Optional.of(order));
  }

  public static String sentence(JobRecord job) {
    String name = job.name().id();
    Optional<Integer> code = job.course().exitCode();
    return switch (job.state()) {
      case DONE -> name + " is done";
      case FAILED -> name + " failed" + code.map(each -> " with exit code " + each).orElse("");
      case CANCELLED ->
          name + " is cancelled" + job.cancellation().map(Cancellation::text).orElse("");
      case LOST -> name + " is lost with its node";
      case DRAFT, WAITING, ASSIGNED, RUNNING, STOPPING, SUSPENDED ->
          throw new IllegalArgumentException(name + " has not ended: " + job.state());
    };
  }

  private static Ending exited(AttemptRecord attempt, int code, Instant now) {
    boolean late =
        attempt.workers().stream()
            .anyMatch(worker -> worker.endReason().equals(Optional.of(EndReason.TIME_LIMIT)));
    Outcome outcome = late ? Outcome.TIMED_OUT : code == 0 ? Outcome.SUCCEEDED : Outcome.FAILED;
    String error = firstError(attempt);
    return new Ending(
        now,
        outcome,
        reportedCode(attempt).or(() -> Optional.of(code)),
        error.isEmpty() && late ? "it passed its time limit" : error);
  }

  private static Outcome stopOutcome(AttemptRecord attempt) {
    return attempt
        .attempt()
        .stop()
        .map(order ->
            switch (order.outcome()) {
              case REQUEUE, SUSPEND -> Outcome.REQUEUED;
              case CANCEL -> Outcome.CANCELLED;
              case FAIL -> Outcome.FAILED;
              case LOSE -> Outcome.LOST;
            })
        .orElse(Outcome.REQUEUED);
  }

  /// The exit code of the first worker that did not end well, else the first known code.
  private static Optional<Integer> reportedCode(AttemptRecord attempt) {
    Optional<Integer> any = Optional.empty();
    for (WorkerFacts worker : attempt.workers()) {
      Optional<Integer> code = worker.exitCode();
      if (code.isPresent() && code.get() != 0) {
        return code;
      }
      any = any.or(() -> code);
    }
    return any;
  }

  private static String firstError(AttemptRecord attempt) {
    for (WorkerFacts worker : attempt.workers()) {
      if (!worker.error().isEmpty()) {
        return worker.error();
      }
    }
    return "";
  }
}
