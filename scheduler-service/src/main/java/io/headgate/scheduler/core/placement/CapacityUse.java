package io.headgate.scheduler.core.placement;

/// Counts the use of one capacity by running work, by work that was asked to stop, and by holds.
///
/// A hold may lie on capacity that still stops. Until that has stopped, the hold keeps as much idle
/// capacity. Otherwise a free part would be given away while the hold waits for another part.
/// Example: of 10 units, 4 are live, 3 stopping and 2 held. Then 1 is free now, and 4 once the 3
/// have stopped.
final class CapacityUse {
  long live;
  long stopping;
  long held;

  /// Negative while a hold waits for stopping attempts, and when the capacity shrank below its use.
  long free(long capacity) {
    return capacity - live - stopping - held;
  }

  /// The capacity free for any job when everything that stops has stopped.
  long freeSoon(long capacity) {
    return capacity - live - held;
  }

  /// Whether a holder's part can be used now: neither what still stops nor an older hold is in its
  /// way.
  boolean ready(long capacity, long part, long older) {
    return live + stopping + older + part <= capacity;
  }

  void add(Stake stake, long amount) {
    switch (stake) {
      case LIVE, KEPT -> live += amount;
      case STOPPING -> stopping += amount;
      case HELD -> held += amount;
    }
    if (live < 0 || stopping < 0 || held < 0) {
      throw new IllegalStateException(
          "negative: live %d, stopping %d, held %d".formatted(live, stopping, held));
    }
  }

  boolean isEmpty() {
    return live == 0 && stopping == 0 && held == 0;
  }
}
