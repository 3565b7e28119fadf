package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.PreemptionGrounds;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.Event;
import io.headgate.scheduler.runtime.record.EventType;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.text.DecisionText;
import io.headgate.type.Viewer;
import java.util.Map;
import java.util.Optional;

/// Events about jobs.
final class JobNotes {
  private JobNotes() {}

  static Event about(JobRecord job, EventType type) {
    return new Event(type, job.tenant())
        .job(job.id(), job.name().id())
        .queue(job.job().spec().queue().name(), job.metadata().policy());
  }

  /// A user changed the job.
  static Event updated(JobRecord job, String what) {
    return about(job, EventType.UPDATED).message(job.name().id() + " is changed" + what);
  }

  /// The last attempt is frozen.
  ///
  /// @param reason in one sentence, without the job's name
  static Event suspended(JobRecord job, String reason) {
    return about(job, EventType.SUSPENDED)
        .attempt(job.job().attempts())
        .message(job.name().id() + " is suspended: " + reason);
  }

  /// The attempt goes on where it was suspended.
  static Event resumed(JobRecord job, Attempt attempt) {
    return about(job, EventType.RESUMED)
        .attempt(attempt.id().number())
        .pool(attempt.assignment().pool().name())
        .places(attempt.assignment().workers())
        .message(
            "%s goes on, where it was, on %s of %s"
                .formatted(
                    job.name().id(),
                    DecisionText.places(attempt.assignment()),
                    attempt.assignment().pool().name()));
  }

  /// `: worker 1 on n-1 failed first…`; empty: it never ran, was no gang, or nothing went wrong.
  static String gangsCause(LoopTurn turn, JobRecord job) {
    if (job.job().attempts() == 0) {
      return "";
    }
    return Optional.ofNullable(turn.attempts.get(new AttemptId(job.id(), job.job().attempts())))
        .filter(attempt -> attempt.workers().size() > 1)
        .flatMap(AttemptRecord::ending)
        .map(AttemptRecord.Ending::error)
        .filter(error -> !error.isEmpty())
        .map(error -> ": " + error)
        .orElse("");
  }

  /// The numbers of a preemption.
  ///
  /// @param by the winner's id, or that it is another team's
  static Map<String, String> detail(
      PreemptionGrounds grounds, String by, Optional<JobRecord> winner) {
    Map<String, String> detail = DecisionText.detail(grounds);
    if (by.equals(Viewer.ANOTHER_TEAMS_JOB)) {
      return DecisionText.withoutWinner(detail);
    }
    winner.ifPresent(job -> detail.put(DecisionText.WINNERS_USER, job.job().spec().user().name()));
    return detail;
  }
}
