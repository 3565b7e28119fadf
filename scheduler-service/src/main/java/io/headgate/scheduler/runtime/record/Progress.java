package io.headgate.scheduler.runtime.record;

import java.time.Instant;
import java.util.Optional;

/// The latest progress report of an attempt's program.
///
/// @param advance the completed part; absent: not reported
/// @param checkpointMark tells the last checkpoint from earlier ones; 0: none was reported
public record Progress(Optional<Advance> advance, long checkpointMark) {
  public static final Progress NONE = new Progress(Optional.empty(), 0);

  /// How far it is.
  ///
  /// @param permyriad part of its work that is done, 0 to 10,000
  /// @param message in its own words; empty: none
  /// @param heardAt by the leader's clock
  public record Advance(int permyriad, String message, Instant heardAt) {
    public boolean isSameReport(Advance other) {
      return permyriad == other.permyriad && message.equals(other.message);
    }
  }
}
