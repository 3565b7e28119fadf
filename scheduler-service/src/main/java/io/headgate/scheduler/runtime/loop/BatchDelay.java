package io.headgate.scheduler.runtime.loop;

import java.time.Duration;

/// Decides how long commands gather before the next turn, as in group commit. A transaction, the
/// messages to agents and the flushes of connections cost about as much for one command as for
/// many. A busy loop therefore takes many at a time, which is cheaper and, under load, also faster.
/// An idle loop takes each command at once: after a turn with few commands the next may begin
/// before that turn is durable. Confined to the loop.
public final class BatchDelay {
  /// Time from the start of a turn to the start of the next, per command in the turn.
  static final Duration PER_COMMAND = Duration.ofNanos(500_000);

  /// Longest time between the starts of two turns, for any number of commands.
  static final Duration MOST = Duration.ofMillis(4);

  private long nextNanos;

  /// A turn began at monotonic time `now`, with this number of commands.
  public void began(long now, int commands) {
    nextNanos = now + Math.min(MOST.toNanos(), PER_COMMAND.toNanos() * commands);
  }

  /// Nanoseconds from `now` until the next turn may begin; 0: at once.
  public long gatherNanos(long now) {
    return Math.clamp(nextNanos - now, 0, MOST.toNanos());
  }
}
