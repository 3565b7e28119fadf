package io.headgate.scheduler.core.explain;

import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.JobEvent;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.type.GpuQuantity;

/// Why a user's input is refused: an expected answer, with the numbers.
public sealed interface Denial {
  /// No such queue.
  record UnknownQueue(QueueId queue) implements Denial {}

  /// The queue's profile is not provisioned.
  record UnknownProfile(QueueId queue, ProfileId profile) implements Denial {}

  /// The queue's policy is not provisioned.
  record UnknownPolicy(QueueId queue, PolicyId policy) implements Denial {}

  /// One job is larger than the policy's limit.
  record AboveLimit(PolicyId policy, GpuQuantity need, GpuQuantity limit) implements Denial {}

  /// One job is larger than the limit of one user of the policy.
  record AboveUserLimit(PolicyId policy, UserId user, GpuQuantity need, GpuQuantity limit)
      implements Denial {}

  /// The queue only starts jobs inside the reservation, and one job is larger than it.
  record AboveReservation(PolicyId policy, GpuQuantity need, GpuQuantity reservation)
      implements Denial {}

  /// The job is not preemptible, and larger than the reservation inside which such jobs must stay.
  record NonPreemptibleAboveReservation(PolicyId policy, GpuQuantity need, GpuQuantity reservation)
      implements Denial {}

  /// One job is larger than the limit of a department above the policy; of several the lowest.
  record AboveDepartmentLimit(DepartmentId department, GpuQuantity need, GpuQuantity limit)
      implements Denial {}

  /// The queue only starts jobs inside the reservation, and one job is larger than that of a
  /// department above the policy.
  record AboveDepartmentReservation(
      DepartmentId department, GpuQuantity need, GpuQuantity reservation) implements Denial {}

  /// The job is not preemptible, and larger than the reservation of a department above the policy,
  /// inside which such jobs must stay.
  record NonPreemptibleAboveDepartmentReservation(
      DepartmentId department, GpuQuantity need, GpuQuantity reservation) implements Denial {}

  /// One job is larger than its tenant's limit in a pool that tenants share; of several pools the
  /// one that comes nearest.
  record AboveTenantLimit(TenantId tenant, PoolId pool, GpuQuantity need, GpuQuantity limit)
      implements Denial {}

  /// The job is not preemptible, and larger than its tenant's reservation in the pool, inside which
  /// such jobs must stay.
  record NonPreemptibleAboveTenantReservation(
      TenantId tenant, PoolId pool, GpuQuantity need, GpuQuantity reservation) implements Denial {}

  /// The profile has no pool that exists and that this policy may use.
  record NoPool(ProfileId profile, PolicyId policy) implements Denial {}

  /// No node of any pool of the profile is large enough, even empty.
  ///
  /// @param pool where the nearest fit is
  /// @param dimension the dimension that is missing there
  /// @param asked in the dimension's unit: 1/126000 GPU, bytes, thousandths of a core, or the level
  ///   of isolation
  /// @param most the capacity of the best node, in the same unit
  record NoNodeFits(ProfileId profile, PoolId pool, Dimension dimension, long asked, long most)
      implements Denial {}

  /// The pool's ceiling is below one job; of several pools the one that comes nearest.
  record AbovePoolCapacity(PoolId pool, GpuQuantity need, GpuQuantity capacity) implements Denial {}

  /// A job with this id exists.
  record DuplicateJob(JobId job) implements Denial {}

  /// The job is not in a state in which this can happen.
  record WrongState(JobId job, JobState state, JobEvent event) implements Denial {}
}
