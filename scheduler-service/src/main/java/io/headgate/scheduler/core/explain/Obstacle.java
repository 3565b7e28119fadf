package io.headgate.scheduler.core.explain;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The jobs in the way of an entitled job that makes no room by preemption (P4). They are those of
/// the place where the fewest GPUs are in the way: a node, for a gang as many as it needs. Nothing
/// of one tenant is visible in another, so jobs of other tenants are counted, whatever they are.
///
/// @param entitled jobs that their own reservations protect
/// @param nonPreemptible jobs that are never victims
/// @param protectedJobs jobs that have not run for the `minRuntime` of their policies
/// @param protectedUntil when the first of those may go
/// @param ofOtherTenants jobs of other tenants than the waiting job's, which the rest leaves out
/// @param preemptsFrom when the waiting job may preempt at all; absent: it may now
public record Obstacle(
    int entitled,
    int nonPreemptible,
    int protectedJobs,
    Optional<Instant> protectedUntil,
    int ofOtherTenants,
    Optional<Instant> preemptsFrom) {
  public static final Obstacle NONE = of(0, 0, 0);
  public static final Obstacle ENTITLED = of(1, 0, 0);
  public static final Obstacle NON_PREEMPTIBLE = of(0, 1, 0);
  public static final Obstacle OF_ANOTHER_TENANT = of(0, 0, 1);

  private static Obstacle of(int entitled, int nonPreemptible, int ofOtherTenants) {
    return new Obstacle(
        entitled, nonPreemptible, 0, Optional.empty(), ofOtherTenants, Optional.empty());
  }

  /// One job that may go from this time on.
  public static Obstacle protectedUntil(Instant until) {
    return new Obstacle(0, 0, 1, Optional.of(until), 0, Optional.empty());
  }

  /// The waiting job may not preempt before this time.
  public static Obstacle before(Instant preemptsFrom) {
    return new Obstacle(0, 0, 0, Optional.empty(), 0, Optional.of(preemptsFrom));
  }

  /// The jobs of both.
  public Obstacle and(Obstacle other) {
    return new Obstacle(
        entitled + other.entitled,
        nonPreemptible + other.nonPreemptible,
        protectedJobs + other.protectedJobs,
        earlier(protectedUntil, other.protectedUntil),
        ofOtherTenants + other.ofOtherTenants,
        earlier(preemptsFrom, other.preemptsFrom));
  }

  private static Optional<Instant> earlier(Optional<Instant> one, Optional<Instant> other) {
    return one.isEmpty() || (other.isPresent() && other.get().isBefore(one.get())) ? other : one;
  }

  /// The number of jobs in the way.
  public int jobs() {
    return entitled + nonPreemptible + protectedJobs + ofOtherTenants;
  }

  /// Whether something is in the way.
  public boolean isAny() {
    return jobs() > 0 || preemptsFrom.isPresent();
  }

  /// `8 entitled, 1 non-preemptible, 2 of other tenants`.
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
    if (ofOtherTenants > 0) {
      kinds.add(ofOtherTenants + " of other tenants");
    }
    return String.join(", ", kinds);
  }
}
