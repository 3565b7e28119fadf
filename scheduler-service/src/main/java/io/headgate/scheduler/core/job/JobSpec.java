package io.headgate.scheduler.core.job;

import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.UserId;
import java.time.Duration;
import java.util.Optional;

/// What the user submitted, as far as scheduling needs it.
///
/// @param priority among the jobs of its queue, higher first (DESIGN O5)
/// @param preemptible absent: as its policy says (DESIGN A8)
/// @param maxRuntime the user's promise; the agent enforces it
public record JobSpec(
    JobId id,
    QueueId queue,
    UserId user,
    int priority,
    Optional<Boolean> preemptible,
    Optional<Duration> maxRuntime) {}
