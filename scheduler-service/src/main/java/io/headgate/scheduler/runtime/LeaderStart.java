package io.headgate.scheduler.runtime;

/// From where a leader goes on.
///
/// @param lastBatch of the leaders before
/// @param version of the watches
/// @param takeover by which it became the leader
record LeaderStart(
    Leadership leadership,
    LoopSettings settings,
    long lastBatch,
    long version,
    Takeover takeover) {}
