package io.headgate.scheduler.core.explain;

import io.headgate.scheduler.core.catalog.SpentBudget;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The numbers behind one [Check], without wording. GPU amounts are in units of 1/126000 GPU.
public sealed interface Finding {
  /// The job cannot start as configured; its reason says why.
  record NeverFits() implements Finding {}

  /// Whether the queue is open.
  record QueueOpen(String queue, boolean open) implements Finding {}

  /// A budget is spent, so that the policy's jobs do not start.
  record BudgetSpent(SpentBudget spent) implements Finding {}

  /// The queue lets jobs start above the reservation.
  record OverReservationAllowed() implements Finding {}

  /// The usage and the bound that a [Sum] compares.
  enum Measure {
    /// Usage against a limit.
    LIMIT,
    /// Usage against a reservation.
    RESERVATION,
    /// Usage of non-preemptible jobs against a reservation.
    NON_PREEMPTIBLE
  }

  /// Usage and need against a bound.
  ///
  /// @param subject the policy, user, tenant or pool
  /// @param pool of a tenant's rights; absent for other subjects
  /// @param mayExceed the user who may exceed the bound on idle capacity, if the sum does
  record Sum(
      String subject,
      Optional<String> pool,
      Measure measure,
      long used,
      long need,
      long bound,
      Optional<String> mayExceed)
      implements Finding {
    /// A sum outside of a tenant's rights.
    public static Sum of(String subject, Measure measure, long used, long need, long bound) {
      return new Sum(subject, Optional.empty(), measure, used, need, bound, Optional.empty());
    }

    /// This sum, which a user may let exceed its bound.
    public Sum exceededBy(String user) {
      return new Sum(subject, pool, measure, used, need, bound, Optional.of(user));
    }
  }

  /// Headroom that a job holds in a limit (O7).
  ///
  /// @param own whether the explained job holds it; otherwise it waits because of it
  /// @param subject the policy or department that sets the limit
  /// @param units that the holder needs
  /// @param expectedStart of the holder; absent: unknown
  /// @param until when the hold ends if its expected start is unknown
  record Headroom(
      boolean own,
      String subject,
      Measure measure,
      long units,
      Optional<Instant> expectedStart,
      Optional<Instant> until)
      implements Finding {}

  /// The capacity of a pool against the need of the job.
  ///
  /// @param nodes that take work
  record PoolFit(String pool, long offered, int nodes, long used, long idle, long need)
      implements Finding {}

  /// An elastic pool was asked for an instance; the job preempts if none comes in time.
  record ProviderAsked(String pool, Duration within) implements Finding {}

  /// The usage of a policy against its reservation.
  record PolicyUse(String policy, long usage, long reservation) {}

  /// The outcome of a search for room.
  enum SearchOutcome {
    /// The job may not preempt other policies.
    NOT_MADE,
    /// No permitted victims make room.
    NO_ROOM,
    /// The search ended at its bound; there may be room.
    BOUND_REACHED
  }

  /// The other policies with attempts.
  ///
  /// @param over those above their reservations
  /// @param within the others
  record Victims(List<PolicyUse> over, List<PolicyUse> within, SearchOutcome outcome)
      implements Finding {
    public Victims {
      over = List.copyOf(over);
      within = List.copyOf(within);
    }
  }

  /// The over-reservation usage of all other tenants in a pool. They are not named: nothing of one
  /// tenant is visible in another.
  record OtherTenants(String pool, long over) implements Finding {}

  /// No job of a worse rank makes room under P7.
  record NoWorseRank(int rank) implements Finding {}

  /// No job of the policy with a lower priority makes room under P9.
  record NoLowerPriority(String policy, int priority) implements Finding {}

  /// No job of a policy with a larger share makes room under P10.
  record NoLargerShare(String policy) implements Finding {}

  /// The job preempts only once it has waited for longer (P2).
  record PreemptsFrom(String policy, Instant from) implements Finding {}

  /// The job was preempted by P7, P9 or P10, and uses none of them before something happens in its
  /// pool from outside.
  record Barred() implements Finding {}

  /// Where the fewest GPUs are in the way of an entitled job, these jobs are (P4).
  record InTheWay(String pool, Obstacle obstacle) implements Finding {}

  /// The memory of a suspended attempt may be taken from it.
  record KeptInMemory() implements Finding {}

  /// The attempt is never a victim.
  record NeverVictim() implements Finding {}

  /// Whether the policy's usage makes its attempts possible victims.
  record PolicyExposure(PolicyUse use, boolean mayBeVictim) implements Finding {}

  /// Whether the tenant's usage makes its attempts possible victims of other tenants.
  record TenantExposure(
      String tenant, String pool, long usage, long reservation, boolean mayBeVictim)
      implements Finding {}
}
