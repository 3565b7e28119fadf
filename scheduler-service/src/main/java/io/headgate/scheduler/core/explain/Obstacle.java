package io.headgate.scheduler.core.explain;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The jobs in the way of an entitled job that makes no room by preemption (P4). They are those of
/// the place where the fewest GPUs are in the way: a node, for a gang as many as it needs.
///
/// @param entitled jobs that their own reservations protect
/// @param nonPreemptible jobs that are never victims
/// @param protectedJobs jobs that have not run for the `minRuntime` of their policies
/// @param protectedUntil when the first of those may go
/// @param preemptsFrom when the waiting job may preempt at all; absent: it may now
public record Obstacle(
    int entitled,
    int nonPreemptible,
    int protectedJobs,
    Optional<Instant> protectedUntil,
    Optional<Instant> preemptsFrom) {
  /// The waiting job may not preempt before this time.
  public static Obstacle before(Instant preemptsFrom) {
    return new Obstacle(0, 0, 0, Optional.empty(), Optional.of(preemptsFrom));
  }

  /// Whether something is in the way.
  public boolean isAny() {
    return entitled + nonPreemptible + protectedJobs > 0 || preemptsFrom.isPresent();
  }

  /// `8 entitled, 1 non-preemptible`.
  @Override
  public String toString() {
    List<String> kinds = new ArrayList<>();
    preemptsFrom.ifPresent(from -> kinds.add("preemptAfter until " + from));
    if (entitled > 0) {
      kinds.add(entitled + " entitled");
    }
    if (nonPreemptible > 0) {
      kinds.add(nonPreemptible + " non-preemptible");
    }
    if (protectedJobs > 0) {
      kinds.add(
          protectedJobs + " protected" + protectedUntil.map(until -> " until " + until).orElse(""));
    }
    return String.join(", ", kinds);
  }
}
