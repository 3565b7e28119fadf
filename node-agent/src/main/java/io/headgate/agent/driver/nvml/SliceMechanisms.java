package io.headgate.agent.driver.nvml;

import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.type.GpuQuantity;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/// All ways to make a slice, and which one is taken.
record SliceMechanisms(
    WholeGpu whole,
    MigInstances mig,
    CgroupMemoryLimit cgroup,
    CgroupAndMps cgroupAndMps,
    MpsSlices mps,
    WatchedMemory watched) {
  static SliceMechanisms of(
      Nvml nvml, Function<String, Optional<Path>> cgroups, MpsSlices mps, NvmlSteps steps) {
    CgroupMemoryLimit cgroup = new CgroupMemoryLimit(nvml, cgroups, steps);
    return new SliceMechanisms(
        new WholeGpu(nvml),
        new MigInstances(nvml, steps),
        cgroup,
        new CgroupAndMps(cgroup, mps),
        mps,
        new WatchedMemory(nvml));
  }

  /// The strongest available mechanism for such a part of the GPU in its present state.
  SliceMechanism strongest(NvmlDevice device, SliceGrant grant) {
    if (device.mig().isPresent()) {
      // A divided GPU runs nothing but in its instances, so all of it is an instance too.
      return mig;
    }
    if (grant.gpus().equals(GpuQuantity.ONE)) {
      return whole;
    }
    if (device.limitsMemory()) {
      return device.mps().isPresent() ? cgroupAndMps : cgroup;
    }
    return device.mps().isPresent() ? mps : watched;
  }

  /// The way in which the slice was planned.
  SliceMechanism of(SlicePlan plan) {
    return Stream.of(whole, mig, cgroup, cgroupAndMps, mps, watched)
        .filter(mechanism -> mechanism.word().equals(plan.mechanism()))
        .findFirst()
        .orElseThrow(
            () -> new GpuDriverException("this agent makes no slices by " + plan.mechanism()));
  }

  /// Whether nothing of the slice is left on a GPU that is not here any more. An instance may be,
  /// when the GPU is back.
  boolean isGoneWithItsGpu(SlicePlan plan) {
    return plan.isTraceless() || !(of(plan) instanceof MigInstances);
  }

  /// Whether slices that are called so are made of no other maker's GPUs.
  boolean areOnlyNvidias(String mechanism) {
    return Stream.of(mig, cgroup, cgroupAndMps, mps)
        .map(SliceMechanism::word)
        .anyMatch(mechanism::equals);
  }

  /// An attempt with these slices.
  ///
  /// @throws GpuDriverException when it cannot have them together
  void requireTogether(List<SlicePlan> plans) {
    SlicePlan.requireOneOfEachWithoutPlaces(plans);
    if (plans.size() > 1 && plans.stream().anyMatch(MpsSlices::isServed)) {
      // A program knows one daemon, and that one has one GPU.
      throw new GpuDriverException("with MPS a job has one part of one GPU, and nothing beside it");
    }
  }
}
