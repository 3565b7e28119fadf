package io.headgate.agent.driver.rocm;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.driver.SlicePlan;
import java.util.Optional;

/// A part of a GPU that nothing but the watch over its memory holds to its size.
record WatchedAmdMemory(NodeUse use) implements AmdMechanism {
  @Override
  public String word() {
    return "watched";
  }

  @Override
  public IsolationLevel isolation() {
    return IsolationLevel.REACTIVE;
  }

  @Override
  public SlicePlan plan(AmdGpu gpu, AttemptKey attempt, int number, SliceGrant grant) {
    return new SlicePlan(
        attempt, number, grant, word(), isolation(), grant.effectiveMemoryBytes(gpu.info()));
  }

  @Override
  public Optional<String> obstacle(AmdGpu gpu, SlicePlan plan) {
    // Others have parts of it too; how much there is of it, the scheduler and the reconciler count.
    return Optional.empty();
  }

  @Override
  public Kfd.Node realise(AmdGpu gpu, SlicePlan plan) {
    return use.node(gpu, 0);
  }

  @Override
  public void release(AmdGpu gpu, SlicePlan plan) {
    // Nothing was made.
  }
}
