package io.headgate.scheduler.core.job;

import java.time.Instant;

/// An attempt's order to stop.
public record StopOrder(StopCause cause, StopOutcome outcome, Instant at) {}
