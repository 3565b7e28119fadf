package io.headgate.agent.driver.nvml;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.driver.SlicePlan;
import java.util.Map;
import java.util.TreeMap;

/// A part of a GPU's memory by the cgroup of the job, as [CgroupMemoryLimit] gives it, and of its
/// processors by a namespace of MPS that limits nothing else.
///
/// What the slice is worth is the cgroup's: of the processors a job has more if it leaves its
/// namespace, and what breaks a daemon leaves the memory limited.
record CgroupAndMps(CgroupMemoryLimit cgroup, MpsSlices mps) implements SliceMechanism {
  @Override
  public String word() {
    return "cgroup+mps";
  }

  @Override
  public IsolationLevel isolation() {
    return cgroup.isolation();
  }

  @Override
  public SlicePlan plan(NvmlDevice device, AttemptKey attempt, int number, SliceGrant grant) {
    SlicePlan memory = cgroup.plan(device, attempt, number, grant);
    TreeMap<String, String> placement = new TreeMap<>(memory.placement());
    placement.putAll(mps.service(memory.name(), MpsProtocol.V3, grant.gpus()));
    return new SlicePlan(
        attempt, number, grant, word(), isolation(), memory.memoryLimitBytes(), placement);
  }

  @Override
  public String realise(Gpu gpu, SlicePlan plan) {
    String device = cgroup.realise(gpu, plan);
    mps.serve(plan, device);
    return device;
  }

  @Override
  public void release(Gpu gpu, SlicePlan plan) {
    mps.release(plan);
    cgroup.release(gpu, plan);
  }

  @Override
  public Map<String, String> environment(SlicePlan plan) {
    return mps.environment(plan);
  }
}
