package io.headgate.scheduler.core.job;

import java.time.Instant;

/// The preempting job, the rule, the grounds and the time of a preemption.
public record Preemption(JobId by, PreemptionRule rule, PreemptionGrounds grounds, Instant at) {}
