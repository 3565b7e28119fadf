package io.headgate.scheduler.core.job;

import java.time.Instant;

/// Who took a job's slices, under which rule, on what grounds, when.
public record Preemption(JobId by, PreemptionRule rule, Grounds grounds, Instant at) {}
