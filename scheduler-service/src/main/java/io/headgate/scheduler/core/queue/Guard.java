package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.explain.Finding;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Keeps jobs from a part of a limit that another job waits for. [HeadroomGuard] is the one kind;
/// this interface keeps queues from depending on it.
///
/// @param <J> the jobs
public interface Guard<J> {
  /// Whether the waiting job must leave that part to the other one.
  boolean stops(J job);

  /// The numbers of the guarded part.
  ///
  /// @param own whether they are told of the job that waits for the part
  Finding finding(boolean own);

  /// The first guard that stops the job; null: none does.
  static <J> @Nullable Guard<J> stopping(List<Guard<J>> guards, J job) {
    for (Guard<J> guard : guards) {
      if (guard.stops(job)) {
        return guard;
      }
    }
    return null;
  }
}
