package io.headgate.scheduler.grpc;

import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.proto.scheduler.v1.Event;
import io.headgate.proto.scheduler.v1.Preemption;
import io.headgate.scheduler.runtime.record.EventRecord;
import io.headgate.scheduler.runtime.record.EventType;
import io.headgate.scheduler.runtime.text.DecisionText;
import io.headgate.type.Viewer;

/// Events in the form of the contract.
final class EventMapper {
  private EventMapper() {}

  /// @param viewer sees the job that the event is about, if any
  static Event toEvent(EventRecord record, Viewer viewer) {
    boolean isPreemption = !record.rule().isEmpty();
    // The policy in the numbers is that of the job that took the place.
    boolean seen =
        !isPreemption || viewer.seesTeam(record.detail().getOrDefault(DecisionText.WINNER, ""));
    String message =
        seen ? record.message() : DecisionText.byAnotherTeam(record.job(), record.rule());
    Event.Builder event =
        Event.newBuilder()
            .setVersion(record.version())
            .setTime(ProtoTimes.toProto(record.time()))
            .setType(toType(record.type()))
            .setJob(record.job())
            .setAttempt(record.attempt())
            .setQueue(record.queue())
            .setPolicy(record.policy())
            .setPool(record.pool())
            .setNode(record.node())
            .addAllPlacements(JobMapper.toPlacements(record.places()))
            .setMessage(message)
            .putAllDetail(seen ? record.detail() : DecisionText.withoutWinner(record.detail()));
    if (isPreemption) {
      event.setPreemption(
          Preemption.newBuilder()
              .setByJob(seen ? record.byJob() : Viewer.ANOTHER_TEAMS_JOB)
              .setRule(record.rule())
              .setMessage(message)
              .setTime(ProtoTimes.toProto(record.time())));
    }
    return event.build();
  }

  private static Event.Type toType(EventType type) {
    return switch (type) {
      case SUBMITTED -> Event.Type.TYPE_SUBMITTED;
      case ASSIGNED -> Event.Type.TYPE_ASSIGNED;
      case STARTED -> Event.Type.TYPE_STARTED;
      case PREEMPTED -> Event.Type.TYPE_PREEMPTED;
      case STOPPING -> Event.Type.TYPE_STOPPING;
      case STOP_PHASE -> Event.Type.TYPE_STOP_PHASE;
      case SUSPENDED -> Event.Type.TYPE_SUSPENDED;
      case RESUMED -> Event.Type.TYPE_RESUMED;
      case REQUEUED -> Event.Type.TYPE_REQUEUED;
      case FINISHED -> Event.Type.TYPE_FINISHED;
      case REASON_CHANGED -> Event.Type.TYPE_REASON_CHANGED;
      case NODE_CONNECTED -> Event.Type.TYPE_NODE_CONNECTED;
      case NODE_CLOSING -> Event.Type.TYPE_NODE_CLOSING;
      case NODE_SUSPECT -> Event.Type.TYPE_NODE_SUSPECT;
      case NODE_SET_ASIDE -> Event.Type.TYPE_NODE_SET_ASIDE;
      case DEVICE_CHANGED -> Event.Type.TYPE_DEVICE_CHANGED;
      case NODE_LOST -> Event.Type.TYPE_NODE_LOST;
      case QUEUED -> Event.Type.TYPE_QUEUED;
      case BUDGET -> Event.Type.TYPE_BUDGET;
      case UPDATED -> Event.Type.TYPE_UPDATED;
    };
  }
}
