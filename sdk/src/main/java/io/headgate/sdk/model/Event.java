package io.headgate.sdk.model;

import io.headgate.sdk.model.Attempt.Preemption;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Something that happened. Empty texts and a 0 attempt mean: not about one.
///
/// @param version rises in the order of decisions
public record Event(
    long version,
    @Nullable Instant time,
    Type type,
    String job,
    int attempt,
    String queue,
    String policy,
    String pool,
    List<Placement> placements,
    String node,
    @Nullable Preemption preemption,
    String message,
    Map<String, String> detail) {
  public Event {
    placements = List.copyOf(placements);
    detail = Map.copyOf(detail);
  }

  /// The kind of event.
  public enum Type {
    SUBMITTED,
    ASSIGNED,
    STARTED,
    PREEMPTED,
    STOPPING,
    STOP_PHASE,
    SUSPENDED,
    RESUMED,
    REQUEUED,
    FINISHED,
    REASON_CHANGED,
    NODE_CONNECTED,
    NODE_CLOSING,
    NODE_SUSPECT,
    NODE_SET_ASIDE,
    NODE_LOST,
    DEVICE_CHANGED,
    QUEUED,
    BUDGET,
    UPDATED,
    UNKNOWN
  }
}
