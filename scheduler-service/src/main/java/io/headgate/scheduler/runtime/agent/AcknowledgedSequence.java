package io.headgate.scheduler.runtime.agent;

import java.util.TreeSet;

/// Up to which sequence a machine's updates have been taken without a gap. An update that overtook
/// another is not acknowledged before the one that it overtook, or the agent would drop that one.
///
/// A machine whose ledger was lost counts from the start again, so nothing is remembered across
/// agent processes, and no number is acknowledged that this process of the agent did not send.
public final class AcknowledgedSequence {
  /// More gaps than this are not a matter of order any more: the rest comes again later.
  private static final int MAX_AHEAD = 10_000;

  private String session = "";
  private long upTo;
  private final TreeSet<Long> ahead = new TreeSet<>();

  /// The agent said Hello.
  ///
  /// @return the number up to which it may forget updates; 0: unknown
  public long open(String sessionId) {
    if (!sessionId.equals(session)) {
      session = sessionId;
      upTo = 0;
    }
    ahead.clear();
    return upTo;
  }

  /// An update was taken.
  ///
  /// @return the number up to which updates may be acknowledged
  public long take(long sequence) {
    if (upTo == 0) {
      // The first update of a process: an agent sends its kept updates in order, the oldest first.
      upTo = sequence;
    } else if (sequence == upTo + 1) {
      upTo = sequence;
      while (ahead.remove(upTo + 1)) {
        upTo++;
      }
    } else if (sequence > upTo && ahead.size() < MAX_AHEAD) {
      ahead.add(sequence);
    }
    return upTo;
  }
}
