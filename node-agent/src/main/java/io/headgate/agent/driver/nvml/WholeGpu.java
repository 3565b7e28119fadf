package io.headgate.agent.driver.nvml;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.driver.SlicePlan;

/// All of a GPU that is not divided: there is nothing to make.
record WholeGpu(Nvml nvml) implements SliceMechanism {
  static final String WORD = "whole";

  @Override
  public String word() {
    return WORD;
  }

  @Override
  public IsolationLevel isolation() {
    return IsolationLevel.HARDWARE;
  }

  @Override
  public SlicePlan plan(NvmlDevice device, AttemptKey attempt, int number, SliceGrant grant) {
    return new SlicePlan(attempt, number, grant, word(), isolation(), device.memoryBytes());
  }

  @Override
  public String realise(Gpu gpu, SlicePlan plan) {
    // Asked of the GPU rather than remembered: one that is lost must not get a job.
    return nvml.uuid(gpu.handle());
  }

  @Override
  public void release(Gpu gpu, SlicePlan plan) {
    // Nothing was made.
  }
}
