package io.headgate.scheduler.runtime;

/// From where a leader goes on.
///
/// @param lastBatch of the leaders before
/// @param version of the watches
record LeaderStart(Leadership leadership, LoopSettings settings, long lastBatch, long version) {}
