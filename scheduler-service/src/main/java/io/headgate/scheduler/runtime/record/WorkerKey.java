package io.headgate.scheduler.runtime.record;

import io.headgate.scheduler.core.job.AttemptId;

/// One worker of a live attempt.
public record WorkerKey(AttemptId attempt, int worker) {}
