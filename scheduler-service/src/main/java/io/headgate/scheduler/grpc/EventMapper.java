package io.headgate.scheduler.grpc;

import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.proto.scheduler.v1.Event;
import io.headgate.proto.scheduler.v1.Preemption;
import io.headgate.scheduler.runtime.record.EventRecord;
import io.headgate.scheduler.runtime.record.EventType;

/// Events in the form of the contract.
final class EventMapper {
  private EventMapper() {}

  static Event toEvent(EventRecord record) {
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
            .setMessage(record.message())
            .putAllDetail(record.detail());
    if (!record.rule().isEmpty()) {
      event.setPreemption(
          Preemption.newBuilder()
              .setByJob(record.byJob())
              .setRule(record.rule())
              .setMessage(record.message())
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
    };
  }
}
