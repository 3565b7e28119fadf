package io.headgate.agent.driver.rocm;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.driver.SlicePlan;
import java.util.List;
import java.util.Optional;

/// All of a GPU that has no modes: there is nothing to make.
record WholeAmdGpu(NodeUse use) implements AmdMechanism {
  @Override
  public String word() {
    return "whole";
  }

  @Override
  public IsolationLevel isolation() {
    return IsolationLevel.HARDWARE;
  }

  @Override
  public SlicePlan plan(AmdGpu gpu, AttemptKey attempt, int number, SliceGrant grant) {
    return new SlicePlan(attempt, number, grant, word(), isolation(), gpu.memoryBytes());
  }

  @Override
  public Optional<String> obstacle(AmdGpu gpu, SlicePlan plan) {
    return use.user(List.of(use.node(gpu, 0))).map(user -> gpu.words() + " is used by " + user);
  }

  @Override
  public Kfd.Node realise(AmdGpu gpu, SlicePlan plan) {
    return use.node(gpu, 0);
  }

  @Override
  public void release(AmdGpu gpu, SlicePlan plan) {
    use.find(gpu, 0).ifPresent(node -> use.requireUnused(gpu, node));
  }
}
