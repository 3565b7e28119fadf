package io.headgate.agent.driver;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.DeviceNode;
import io.headgate.agent.core.DeviceSign;
import io.headgate.agent.core.SliceGrant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/// A machine without GPUs: it runs jobs that need none.
public final class CpuOnlyDriver implements GpuDriver {
  @Override
  public String description() {
    return "none";
  }

  @Override
  public boolean isSimulated() {
    return false;
  }

  @Override
  public List<DeviceInfo> devices() {
    return List.of();
  }

  @Override
  public List<SlicePlan> plan(AttemptKey attempt, List<SliceGrant> grants) {
    if (!grants.isEmpty()) {
      throw new GpuDriverException("this machine has no GPU");
    }
    return List.of();
  }

  @Override
  public void requireRoom(List<SlicePlan> plans) {
    // There is nothing that could be in the way.
  }

  @Override
  public void recover(List<SlicePlan> recorded) {
    // There is nothing that could be left.
  }

  @Override
  public void realise(SlicePlan plan) {
    throw new GpuDriverException("this machine has no GPU");
  }

  @Override
  public void release(SlicePlan plan) {
    // An agent that had GPUs left the slice, and only a driver of GPUs can free it.
    if (!plan.isTraceless()) {
      throw new GpuDriverException(
          "a slice of %s is left, and there is no driver to free it with"
              .formatted(plan.grant().deviceUuid()));
    }
  }

  @Override
  public List<SlicePlan> realisedSlices() {
    return List.of();
  }

  @Override
  public CompletableFuture<List<GpuProcess>> processes(String deviceUuid) {
    return CompletableFuture.completedFuture(List.of());
  }

  @Override
  public DeviceReading read(String deviceUuid) {
    return DeviceReading.of(new DeviceSign.Gone("this machine has no GPU"));
  }

  @Override
  public Map<String, String> environment(List<SlicePlan> slices) {
    return Map.of("CUDA_VISIBLE_DEVICES", "", "NVIDIA_VISIBLE_DEVICES", "void");
  }

  @Override
  public List<DeviceNode> deviceNodes(List<SlicePlan> slices) {
    return List.of();
  }

  @Override
  public void close() {
    // Nothing to release.
  }
}
