package io.headgate.scheduler.core.placement;

import io.headgate.scheduler.core.placement.policy.TaskMix;

/// Chooses among the places where a job fits. [StandardPlacement] lists the policies of the
/// scheduler; others may be handed to a core, for example to compare them.
///
/// Equal policies choose equally: a copy of a core takes over the policy of the original.
public interface PlacementPolicy {
  /// A rater for one pool.
  ///
  /// @param mix the tasks that the pool expects
  Rater rater(TaskMix mix);
}
