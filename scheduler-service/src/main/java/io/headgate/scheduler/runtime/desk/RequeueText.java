package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.JobEvent;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.WorkerFacts.EndReason;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// Where a job waits whose attempt has ended without having done its work, in words.
final class RequeueText {
  private RequeueText() {}

  /// @param place that is held for the job, if it moves (P11)
  static String after(JobEvent event, JobRecord record, Optional<Hold> place, LoopTurn turn) {
    String name = record.name().id();
    if (event == JobEvent.REJECT) {
      return name + " could not be started there and waits in its old place";
    }
    return place
        .map(held -> name + " has stopped and continues on " + nodes(held))
        .orElseGet(() -> name + " waits again in its old place" + shutDown(turn, record));
  }

  private static String nodes(Hold place) {
    return place.place().workers().stream()
        .map(worker -> worker.node().name())
        .distinct()
        .collect(Collectors.joining(", "));
  }

  /// `: gpu-0 was shut down`, if that is why its attempt ended.
  private static String shutDown(LoopTurn turn, JobRecord record) {
    AttemptRecord ended = turn.attempts.get(new AttemptId(record.id(), record.job().attempts()));
    if (ended == null) {
      return "";
    }
    List<WorkerPlace> places = ended.attempt().assignment().workers();
    for (int worker = 0; worker < places.size(); worker++) {
      if (ended.workers().get(worker).endReason().equals(Optional.of(EndReason.NODE_STOPPED))) {
        return ": " + places.get(worker).node().name() + " was shut down";
      }
    }
    return "";
  }
}
