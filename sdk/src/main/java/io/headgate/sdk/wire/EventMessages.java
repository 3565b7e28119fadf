package io.headgate.sdk.wire;

import io.headgate.proto.scheduler.v1.JobExplanation;
import io.headgate.sdk.model.Event;
import io.headgate.sdk.model.Explanation;
import io.headgate.sdk.model.Explanation.Check;
import io.headgate.sdk.model.Explanation.Result;
import java.util.List;

/// Maps events and explanations between messages and records.
public final class EventMessages {
  private EventMessages() {}

  public static Event event(io.headgate.proto.scheduler.v1.Event event) {
    return new Event(
        event.getVersion(),
        JobMessages.instant(event.hasTime(), event.getTime()),
        type(event.getType()),
        event.getJob(),
        event.getAttempt(),
        event.getQueue(),
        event.getPolicy(),
        event.getPool(),
        event.getPlacementsList().stream().map(JobMessages::placement).toList(),
        event.getNode(),
        event.hasPreemption() ? JobMessages.preemption(event.getPreemption()) : null,
        event.getMessage(),
        event.getDetailMap());
  }

  private static Event.Type type(io.headgate.proto.scheduler.v1.Event.Type type) {
    return switch (type) {
      case TYPE_SUBMITTED -> Event.Type.SUBMITTED;
      case TYPE_ASSIGNED -> Event.Type.ASSIGNED;
      case TYPE_STARTED -> Event.Type.STARTED;
      case TYPE_PREEMPTED -> Event.Type.PREEMPTED;
      case TYPE_STOPPING -> Event.Type.STOPPING;
      case TYPE_STOP_PHASE -> Event.Type.STOP_PHASE;
      case TYPE_SUSPENDED -> Event.Type.SUSPENDED;
      case TYPE_RESUMED -> Event.Type.RESUMED;
      case TYPE_REQUEUED -> Event.Type.REQUEUED;
      case TYPE_FINISHED -> Event.Type.FINISHED;
      case TYPE_REASON_CHANGED -> Event.Type.REASON_CHANGED;
      case TYPE_NODE_CONNECTED -> Event.Type.NODE_CONNECTED;
      case TYPE_NODE_CLOSING -> Event.Type.NODE_CLOSING;
      case TYPE_NODE_SUSPECT -> Event.Type.NODE_SUSPECT;
      case TYPE_NODE_SET_ASIDE -> Event.Type.NODE_SET_ASIDE;
      case TYPE_NODE_LOST -> Event.Type.NODE_LOST;
      case TYPE_DEVICE_CHANGED -> Event.Type.DEVICE_CHANGED;
      case TYPE_QUEUED -> Event.Type.QUEUED;
      case TYPE_BUDGET -> Event.Type.BUDGET;
      case TYPE_UPDATED -> Event.Type.UPDATED;
      case TYPE_UNSPECIFIED, UNRECOGNIZED -> Event.Type.UNKNOWN;
    };
  }

  public static Explanation explanation(JobExplanation explanation) {
    return new Explanation(
        JobMessages.job(explanation.getJob()),
        explanation.getVerdict(),
        checks(explanation.getStartChecksList()),
        checks(explanation.getPreemptionChecksList()),
        checks(explanation.getOrderChecksList()),
        explanation.getAheadList(),
        explanation.getTotalAhead(),
        explanation.getUnblockingList(),
        explanation.getHistoryList().stream().map(EventMessages::event).toList(),
        explanation.getVersion(),
        JobMessages.instant(explanation.hasTime(), explanation.getTime()));
  }

  private static List<Check> checks(List<JobExplanation.Check> checks) {
    return checks.stream()
        .map(check ->
            new Check(
                check.getRule(),
                check.getSubject(),
                result(check.getResult()),
                check.getMessage(),
                check.getDetailMap()))
        .toList();
  }

  private static Result result(JobExplanation.Check.Result result) {
    return switch (result) {
      case RESULT_OK -> Result.OK;
      case RESULT_NO -> Result.NO;
      case RESULT_UNSPECIFIED, UNRECOGNIZED -> Result.NOT_REACHED;
    };
  }
}
