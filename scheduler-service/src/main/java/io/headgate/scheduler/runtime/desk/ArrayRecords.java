package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobArray;
import io.headgate.scheduler.runtime.record.Cancellation;
import io.headgate.scheduler.runtime.record.JobRecord;
import java.util.Optional;

/// Records of arrays and of their elements.
final class ArrayRecords {
  private ArrayRecords() {}

  /// An element of an array that is a job from now on.
  static Optional<JobRecord> begun(JobRegistry jobs, LoopTurn turn, Job job) {
    return job.element()
        .flatMap(element ->
            jobs.job(element.array())
                .or(() -> Optional.ofNullable(turn.staged.get(element.array())))
                .map(array -> array.element(element.number())));
  }

  /// The array as it stands now.
  static JobRecord changed(LoopTurn turn, JobRecord known, JobArray array) {
    Optional<Cancellation> cancellation =
        Optional.ofNullable(turn.cancellations.get(known.id())).or(known::cancellation);
    return known.with(known.job().withPart(array)).cancelled(cancellation);
  }

  /// By whom the job was cancelled in this turn: itself, or its array.
  static Optional<Cancellation> cancelledNow(LoopTurn turn, JobRecord job) {
    return Optional.ofNullable(turn.cancellations.get(job.id()))
        .or(() -> job.job().element().map(element -> turn.cancellations.get(element.array())));
  }
}
