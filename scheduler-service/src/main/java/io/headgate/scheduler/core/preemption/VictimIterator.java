package io.headgate.scheduler.core.preemption;

import io.headgate.scheduler.core.queue.LiveAttempt;
import java.time.Instant;
import java.util.Optional;

/// Gives victims one by one, in the order in which they have to go.
sealed interface VictimIterator permits VictimWalk, WithinPolicyWalk {
  /// The next victim; empty when there is no other.
  Optional<LiveAttempt> next();

  /// The earliest end of protection of an attempt that was passed over.
  Optional<Instant> protectedUntil();
}
