package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.queue.LiveAttempt;
import java.util.Collection;

/// An attempt that could be a victim, before any other is removed.
///
/// @param place its place in the order of victims as things stand, the first to go at 0 (P3)
record Candidate(LiveAttempt attempt, int place) {
  /// The place of the most protected of them; -1: there are none.
  static int mostProtected(Collection<Candidate> victims) {
    int last = -1;
    for (Candidate victim : victims) {
      last = Math.max(last, victim.place());
    }
    return last;
  }
}
