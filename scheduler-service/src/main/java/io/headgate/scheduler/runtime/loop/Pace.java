package io.headgate.scheduler.runtime.loop;

import java.time.Duration;

/// How long the loop lets commands gather. A transaction, the words to agents and the flushes of
/// connections cost much the same for one command as for many; so whoever is busy takes many at a
/// time, which costs less and under load is also quicker. Whoever is not takes each at once: after
/// a turn that had few commands the next may begin before this one is durable. Confined to the
/// loop.
public final class Pace {
  /// From the beginning of a turn to that of the next, for each command that it took.
  static final Duration PER_COMMAND = Duration.ofNanos(500_000);

  /// Between the beginnings of two turns, whatever they took.
  static final Duration MOST = Duration.ofMillis(4);

  private long nextNanos;

  /// A turn began at `now` with so many commands.
  public void began(long now, int commands) {
    nextNanos = now + Math.min(MOST.toNanos(), PER_COMMAND.toNanos() * commands);
  }

  /// How long from `now` on the next turn is to gather; 0: it may begin.
  public long gatherNanos(long now) {
    return Math.clamp(nextNanos - now, 0, MOST.toNanos());
  }
}
