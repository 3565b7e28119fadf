package io.headgate.scheduler.core.usage;

import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.explain.Reason;
import java.util.Optional;

/// The jobs of a queue.
///
/// @param headReason why its first job waits; absent when none does
public record QueueUsage(QueueId queue, int waiting, int running, Optional<Reason> headReason) {}
