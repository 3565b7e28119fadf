package io.headgate.agent.driver.rocm;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.SlicePlan;
import java.util.Optional;

/// A way to make a slice. docs/gpu-mechanisms.md says what each one isolates.
///
/// `plan` is pure. The others are called on the driver's own thread, may take seconds, and may be
/// repeated after a crash at any moment.
interface AmdMechanism {
  /// The mechanism's name in plans and metrics.
  String word();

  /// The isolation that a slice made this way provides.
  IsolationLevel isolation();

  /// How the slice would be made.
  ///
  /// @throws GpuDriverException when it cannot be
  SlicePlan plan(AmdGpu gpu, AttemptKey attempt, int number, SliceGrant grant);

  /// The obstacle to the slice, in words; empty: none.
  Optional<String> obstacle(AmdGpu gpu, SlicePlan plan);

  /// Makes the slice, or finds it as an earlier call left it, perhaps of an agent that was killed.
  ///
  /// @return the node that programs see
  /// @throws GpuDriverException when it cannot be made now
  Kfd.Node realise(AmdGpu gpu, SlicePlan plan);

  /// Makes sure that nothing is left of the slice.
  ///
  /// @throws GpuDriverException when something is
  void release(AmdGpu gpu, SlicePlan plan);
}
