package io.headgate.agent.driver.nvml;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.DeviceNode;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.SlicePlan;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A way to make a slice. docs/gpu-mechanisms.md says what each one isolates.
///
/// `plan` is pure. The others are called on the GPU's own thread, may take seconds, and may be
/// repeated after a crash at any moment.
interface SliceMechanism {
  /// The mechanism's name in plans and metrics.
  String word();

  /// The isolation that a slice made this way provides.
  IsolationLevel isolation();

  /// How the slice would be made.
  ///
  /// @throws GpuDriverException when it cannot be
  SlicePlan plan(NvmlDevice device, AttemptKey attempt, int number, SliceGrant grant);

  /// The object that occupies the place of the slice, in words; empty: there is room. Slices
  /// without places cannot overlap: the scheduler and the reconciler count how much of a GPU is
  /// free.
  default Optional<String> obstacle(Gpu gpu, SlicePlan plan) {
    return Optional.empty();
  }

  /// Makes the slice, or finds it as an earlier call left it, perhaps of an agent that was killed.
  ///
  /// @return the device as a job's libraries know it
  String realise(Gpu gpu, SlicePlan plan);

  /// Removes the remains of the slice.
  void release(Gpu gpu, SlicePlan plan);

  /// The device files of the slice, beside those of every job with a GPU.
  default List<DeviceNode> files(Gpu gpu, SlicePlan plan, NvidiaFiles files) {
    return List.of(files.gpu(gpu.facts().minor()));
  }

  /// Environment variables for the slice, beside its device.
  default Map<String, String> environment(SlicePlan plan) {
    return Map.of();
  }

  /// Slices on the GPU that no plan explains; none for mechanisms that leave no trace on the GPU.
  default List<Stranger> strangers(Gpu gpu, List<SlicePlan> plans) {
    return List.of();
  }

  /// A slice without a record of this agent.
  ///
  /// @param words kind and place of the slice
  /// @param removal removes it; fails when it is in use
  record Stranger(String words, Runnable removal) {}
}
