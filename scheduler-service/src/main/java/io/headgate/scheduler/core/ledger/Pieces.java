package io.headgate.scheduler.core.ledger;

import java.time.Duration;
import java.time.Instant;

/// Cuts a period into intervals that are not too long.
final class Pieces {
  static final Duration LONGEST = Duration.ofHours(6);

  private Pieces() {}

  /// Takes a part of a longer period.
  @FunctionalInterface
  interface Taker {
    void take(Instant from, Instant until, boolean isFirst, boolean isLast);
  }

  /// Tells each piece; none if the period is empty.
  static void of(Instant from, Instant until, Taker taker) {
    Instant begin = from;
    while (begin.isBefore(until)) {
      Instant longest = begin.plus(LONGEST);
      Instant end = longest.isBefore(until) ? longest : until;
      taker.take(begin, end, begin.equals(from), end.equals(until));
      begin = end;
    }
  }
}
