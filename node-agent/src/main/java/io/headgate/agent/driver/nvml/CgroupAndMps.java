package io.headgate.agent.driver.nvml;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.driver.SlicePlan;
import java.util.Map;
import java.util.TreeMap;

/// A part of a GPU whose memory the job's cgroup limits, as [CgroupMemoryLimit] does, and whose
/// processors a namespace of MPS limits. The namespace limits nothing else.
///
/// The isolation of the slice is that of the cgroup. A job that leaves its namespace gets more
/// processors, and a broken daemon leaves the memory limited.
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
