package io.headgate.scheduler.core.job;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The time and the jobs that a waiting job waits for, before it takes its place among the others
/// of its queue. A job behind its gate is no candidate: it holds nothing, preempts nothing, and no
/// job waits for it.
///
/// @param notBefore its earliest start; absent: any time
/// @param after jobs that have not ended yet, in the order of the submission
public record Gate(Optional<Instant> notBefore, List<Dependency> after) {
  /// Nothing is waited for.
  public static final Gate OPEN = new Gate(Optional.empty(), List.of());

  public Gate {
    after = List.copyOf(after);
  }

  /// Whether nothing is left to wait for at that time.
  public boolean isOpen(Instant now) {
    return after.isEmpty() && (notBefore.isEmpty() || !notBefore.get().isAfter(now));
  }

  /// Without the dependencies on that job.
  public Gate without(JobId ended) {
    List<Dependency> rest = new ArrayList<>(after);
    rest.removeIf(each -> each.on().equals(ended));
    return new Gate(notBefore, rest);
  }
}
