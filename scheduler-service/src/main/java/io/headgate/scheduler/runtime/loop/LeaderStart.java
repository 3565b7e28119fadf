package io.headgate.scheduler.runtime.loop;

import io.headgate.scheduler.runtime.desk.LoopSettings;
import io.headgate.scheduler.runtime.record.Leadership;

/// From where a leader goes on.
///
/// @param lastBatch of the leaders before
/// @param version of the watches
/// @param takeover by which it became the leader
public record LeaderStart(
    Leadership leadership,
    LoopSettings settings,
    long lastBatch,
    long version,
    Takeover takeover) {}
