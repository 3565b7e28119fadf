package io.headgate.scheduler.core.job;

import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.UserId;
import java.time.Duration;
import java.util.Optional;

/// The user's submission, as far as scheduling needs it.
///
/// @param priority among the jobs of its queue, higher first (O5)
/// @param preemptible absent: as its policy says (A8)
/// @param maxRuntime the user's promise; the agent enforces it
/// @param stopTime how long its stop may take once that is over: its abort callback and the grace
/// @param suspend how long it may be kept suspended when it is preempted; absent: it is stopped
public record JobSpec(
    JobId id,
    QueueId queue,
    UserId user,
    int priority,
    Optional<Boolean> preemptible,
    Optional<Duration> maxRuntime,
    Duration stopTime,
    Optional<Duration> suspend) {
  /// One that is stopped at once, also when it is preempted.
  public JobSpec(
      JobId id,
      QueueId queue,
      UserId user,
      int priority,
      Optional<Boolean> preemptible,
      Optional<Duration> maxRuntime) {
    this(id, queue, user, priority, preemptible, maxRuntime, Duration.ZERO, Optional.empty());
  }

  /// How long it has its slices at most once it runs; empty: as long as it likes.
  public Optional<Duration> longest() {
    return maxRuntime.map(stopTime::plus);
  }
}
