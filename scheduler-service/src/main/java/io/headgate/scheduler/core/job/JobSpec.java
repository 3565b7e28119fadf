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
/// @param movable whether it may be stopped and started elsewhere to make room (P11)
public record JobSpec(
    JobId id,
    QueueId queue,
    UserId user,
    int priority,
    Optional<Boolean> preemptible,
    Optional<Duration> maxRuntime,
    Duration stopTime,
    Optional<Duration> suspend,
    boolean movable) {
  /// One that is stopped at once, also when it is preempted.
  public JobSpec(
      JobId id,
      QueueId queue,
      UserId user,
      int priority,
      Optional<Boolean> preemptible,
      Optional<Duration> maxRuntime) {
    this(
        id, queue, user, priority, preemptible, maxRuntime, Duration.ZERO, Optional.empty(), false);
  }

  /// A copy with some fields changed.
  public Builder with() {
    return new Builder(this);
  }

  /// How long it has its slices at most once it runs; empty: as long as it likes.
  public Optional<Duration> longest() {
    return maxRuntime.map(stopTime::plus);
  }

  /// Changes fields one by one; not shared between threads.
  public static final class Builder {
    private JobId id;
    private QueueId queue;
    private UserId user;
    private int priority;
    private Optional<Boolean> preemptible;
    private Optional<Duration> maxRuntime;
    private Duration stopTime;
    private Optional<Duration> suspend;
    private boolean movable;

    private Builder(JobSpec from) {
      id = from.id;
      queue = from.queue;
      user = from.user;
      priority = from.priority;
      preemptible = from.preemptible;
      maxRuntime = from.maxRuntime;
      stopTime = from.stopTime;
      suspend = from.suspend;
      movable = from.movable;
    }

    public Builder id(JobId value) {
      id = value;
      return this;
    }

    public Builder queue(QueueId value) {
      queue = value;
      return this;
    }

    public Builder user(UserId value) {
      user = value;
      return this;
    }

    public Builder priority(int value) {
      priority = value;
      return this;
    }

    public Builder preemptible(Optional<Boolean> value) {
      preemptible = value;
      return this;
    }

    public Builder maxRuntime(Optional<Duration> value) {
      maxRuntime = value;
      return this;
    }

    public Builder stopTime(Duration value) {
      stopTime = value;
      return this;
    }

    public Builder suspend(Optional<Duration> value) {
      suspend = value;
      return this;
    }

    public Builder movable(boolean value) {
      movable = value;
      return this;
    }

    public JobSpec build() {
      return new JobSpec(
          id, queue, user, priority, preemptible, maxRuntime, stopTime, suspend, movable);
    }
  }
}
