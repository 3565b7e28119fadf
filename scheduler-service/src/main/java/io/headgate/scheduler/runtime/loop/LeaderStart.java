package io.headgate.scheduler.runtime.loop;

import io.headgate.scheduler.runtime.desk.LoopSettings;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.record.LoadedState;

/// The state at which a leader continues.
///
/// @param lastBatch id of the last batch of earlier leaders
/// @param version the version of the watches
/// @param takeover measures the take-over that made it the leader
public record LeaderStart(
    Leadership leadership, LoopSettings settings, long lastBatch, long version, Takeover takeover) {
  /// The start of a leader that continues at a loaded state.
  public static LeaderStart of(
      Leadership leadership, LoopSettings settings, LoadedState loaded, Takeover takeover) {
    return new LeaderStart(leadership, settings, loaded.lastBatch(), loaded.version(), takeover);
  }
}
