package io.headgate.sdk.model;

import io.headgate.sdk.model.Attempt.Preemption;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a configuration would do if it were provisioned now, compared with what would happen
/// without it.
///
/// @param starts at once
/// @param preempts at once
/// @param waits of jobs that would not wait otherwise; preempted ones that wait again are among
///   them
/// @param drafts jobs that lose their queue, or their submitters the right to it
/// @param policies there are or would be, by id
/// @param knownAhead waits are known as far as that; null: to the end
public record PlanEffects(
    Jobs starts,
    Jobs preempts,
    Jobs waits,
    Jobs drafts,
    List<PolicyChange> policies,
    @Nullable Duration knownAhead) {
  public PlanEffects {
    policies = List.copyOf(policies);
  }

  /// Jobs to which the same would happen.
  ///
  /// @param named the first of the tenant's
  /// @param total of the tenant, those that are named included
  /// @param ofOtherTenants how many, which are not named
  public record Jobs(List<PlannedJob> named, int total, int ofOtherTenants) {
    public Jobs {
      named = List.copyOf(named);
    }

    /// All of them, of every tenant.
    public int count() {
      return total + ofOtherTenants;
    }
  }

  /// What would happen to a job.
  ///
  /// @param pool where it would start; empty: it would not
  /// @param placements where it would start, by worker
  /// @param preemption who would take its place; null: nobody
  /// @param reason why it would wait or become a draft; null: it would not
  public record PlannedJob(
      String job,
      String pool,
      List<Placement> placements,
      @Nullable Preemption preemption,
      @Nullable Reason reason) {
    public PlannedJob {
      placements = List.copyOf(placements);
    }
  }

  /// A policy without the change and with it.
  ///
  /// @param before null: there is none
  /// @param after null: there would be none
  public record PolicyChange(
      String policy, @Nullable PolicyOutlook before, @Nullable PolicyOutlook after) {}

  /// How a policy stands at once, and how long its jobs wait from then on.
  ///
  /// @param awaited jobs whose waits are told of; 0: none waits
  /// @param waitP50 half of them wait no longer; null: it is not known
  /// @param waitP99 99 in 100 of them wait no longer; null: it is not known
  public record PolicyOutlook(
      GpuQuantity usage,
      GpuQuantity reservation,
      GpuQuantity limit,
      int waiting,
      int awaited,
      @Nullable Duration waitP50,
      @Nullable Duration waitP99) {}
}
