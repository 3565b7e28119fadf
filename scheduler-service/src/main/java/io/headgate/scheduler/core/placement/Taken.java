package io.headgate.scheduler.core.placement;

/// How much of one capacity is taken, and how: by work that runs, by work that was asked to stop,
/// and by holds for waiting jobs. A hold may lie on capacity that still stops; so only the larger
/// of the two counts now.
///
/// Of 10, with 4 live, 3 stopping and 5 held, 10 - 4 - max(3, 5) = 1 is free: a start of more would
/// either not fit beside what still stops or eat into the hold.
final class Taken {
  long live;
  long stopping;
  long held;

  /// Negative when the capacity shrank below what is taken.
  long free(long capacity) {
    return capacity - live - Math.max(stopping, held);
  }

  /// What is free for anybody when everything that stops has stopped.
  long freeSoon(long capacity) {
    return capacity - live - held;
  }

  /// Whether a holder's part can be used now: nothing that still stops is in its way.
  boolean ready(long capacity, long part) {
    return live + stopping + part <= capacity;
  }

  void add(Stake stake, long amount) {
    switch (stake) {
      case LIVE -> live += amount;
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
