package io.headgate.agent.driver.nvml;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.SlicePlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/// A part of a GPU's memory, which the driver gives to the cgroup of the job and to all of its
/// processes together. Since driver 615.
///
/// @param cgroups where the cgroup of an attempt is, by the name of the attempt
record CgroupMemoryLimit(Nvml nvml, Function<String, Optional<Path>> cgroups, NvmlSteps steps)
    implements SliceMechanism {
  private static final String CGROUP = "cgroup";

  @Override
  public String word() {
    return "cgroup";
  }

  @Override
  public IsolationLevel isolation() {
    return IsolationLevel.DRIVER_CONTAINER;
  }

  @Override
  public SlicePlan plan(NvmlDevice device, AttemptKey attempt, int number, SliceGrant grant) {
    Path cgroup =
        cgroups
            .apply(attempt.directoryName())
            .orElseThrow(() -> new GpuDriverException("this machine has no cgroups for jobs"));
    TreeMap<String, String> placement = new TreeMap<>();
    placement.put(CGROUP, cgroup.toString());
    return new SlicePlan(
        attempt,
        number,
        grant,
        word(),
        isolation(),
        grant.effectiveMemoryBytes(device.info()),
        placement);
  }

  @Override
  public String realise(Gpu gpu, SlicePlan plan) {
    Path cgroup = cgroup(plan);
    try {
      // Before the job, so that there is no moment at which it runs without a limit.
      Files.createDirectories(cgroup);
    } catch (IOException e) {
      throw new GpuDriverException("no cgroup for the job: " + e);
    }
    nvml.limitMemory(gpu.handle(), cgroup, plan.memoryLimitBytes());
    steps.reached(NvmlSteps.Step.LIMIT_SET);
    return nvml.uuid(gpu.handle());
  }

  @Override
  public void release(Gpu gpu, SlicePlan plan) {
    Path cgroup = cgroup(plan);
    // The limit is removed while the cgroup exists; otherwise the cgroups above it would keep the
    // memory reserved.
    if (Files.isDirectory(cgroup)) {
      nvml.unlimitMemory(gpu.handle(), cgroup);
      steps.reached(NvmlSteps.Step.LIMIT_CLEARED);
    }
  }

  private static Path cgroup(SlicePlan plan) {
    return Path.of(plan.placement().getOrDefault(CGROUP, ""));
  }
}
