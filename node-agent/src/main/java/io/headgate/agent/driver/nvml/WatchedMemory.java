package io.headgate.agent.driver.nvml;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.driver.SlicePlan;

/// A part of a GPU that nothing but the watch over its memory holds to its size.
record WatchedMemory(Nvml nvml) implements SliceMechanism {
  @Override
  public String word() {
    return "watched";
  }

  @Override
  public IsolationLevel isolation() {
    return IsolationLevel.REACTIVE;
  }

  @Override
  public SlicePlan plan(NvmlDevice device, AttemptKey attempt, int number, SliceGrant grant) {
    return new SlicePlan(
        attempt, number, grant, word(), isolation(), grant.effectiveMemoryBytes(device.info()));
  }

  @Override
  public String realise(Gpu gpu, SlicePlan plan) {
    return nvml.uuid(gpu.handle());
  }

  @Override
  public void release(Gpu gpu, SlicePlan plan) {
    // Nothing was made.
  }
}
