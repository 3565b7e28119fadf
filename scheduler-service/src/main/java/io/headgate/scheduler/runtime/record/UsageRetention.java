package io.headgate.scheduler.runtime.record;

import java.time.Duration;

/// How long the ledger of usage is kept.
///
/// @param intervals single intervals and steps
/// @param hours sums of hours
/// @param days sums of days
public record UsageRetention(Duration intervals, Duration hours, Duration days) {}
