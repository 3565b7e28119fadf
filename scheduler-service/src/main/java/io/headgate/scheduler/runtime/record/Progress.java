package io.headgate.scheduler.runtime.record;

import java.time.Instant;
import java.util.Optional;

/// What an attempt's program said of itself last.
///
/// @param advance how far it is; absent: it has not said
/// @param checkpointMark tells its last checkpoint from those before; 0: it has told of none
public record Progress(Optional<Advance> advance, long checkpointMark) {
  public static final Progress NONE = new Progress(Optional.empty(), 0);

  /// How far it is.
  ///
  /// @param permyriad part of its work that is done, 0 to 10,000
  /// @param message in its own words; empty: none
  /// @param heardAt by the leader's clock
  public record Advance(int permyriad, String message, Instant heardAt) {
    public boolean saysLike(Advance other) {
      return permyriad == other.permyriad && message.equals(other.message);
    }
  }
}
