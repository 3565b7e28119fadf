package io.headgate.sdk.model;

import io.headgate.sdk.model.Attempt.Preemption;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The effects of applying a configuration now, compared with not applying it.
///
/// @param starts jobs that start at once
/// @param preempts jobs that are preempted at once
/// @param waits jobs that would not wait otherwise, including preempted jobs that wait again
/// @param drafts jobs that lose their queue, or whose submitters lose the right to it
/// @param policies policies before and after, by id
/// @param warnings consequences that the first decisions do not show
/// @param knownAhead horizon up to which waits are known; null: to the end
public record PlanEffects(
    Jobs starts,
    Jobs preempts,
    Jobs waits,
    Jobs drafts,
    List<PolicyChange> policies,
    List<Warning> warnings,
    @Nullable Duration knownAhead) {
  public PlanEffects {
    policies = List.copyOf(policies);
    warnings = List.copyOf(warnings);
  }

  /// Jobs with the same effect.
  ///
  /// @param named the first ones of the tenant
  /// @param total all of the tenant, including the named ones
  /// @param ofOtherTenants number of jobs of other tenants, which are not named
  public record Jobs(List<PlannedJob> named, int total, int ofOtherTenants) {
    public Jobs {
      named = List.copyOf(named);
    }

    /// Jobs of all tenants.
    public int count() {
      return total + ofOtherTenants;
    }
  }

  /// The effect on one job.
  ///
  /// @param pool pool in which it would start; empty: it would not
  /// @param placements where it would start, by worker
  /// @param preemption the job that would take its place; null: none
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

  /// The state of a policy at once, and the waits of its jobs from then on.
  ///
  /// @param awaited jobs whose waits are counted; 0: none waits
  /// @param waitP50 half of them wait no longer; null: not known
  /// @param waitP99 99 in 100 of them wait no longer; null: not known
  public record PolicyOutlook(
      GpuQuantity usage,
      GpuQuantity reservation,
      GpuQuantity limit,
      int waiting,
      int awaited,
      @Nullable Duration waitP50,
      @Nullable Duration waitP99) {}
}
