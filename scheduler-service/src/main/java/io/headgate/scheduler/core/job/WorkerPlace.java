package io.headgate.scheduler.core.job;

import io.headgate.scheduler.core.node.NodeId;
import java.util.List;

/// The node of one worker, and its slices and memory there.
///
/// @param slices by ascending device index; empty for a job without GPU
public record WorkerPlace(NodeId node, List<Slice> slices, long cpuMillis, long memoryBytes) {
  public WorkerPlace {
    slices = List.copyOf(slices);
  }

  /// Units of GPU, in 1/126000.
  public long units() {
    long units = 0;
    for (Slice slice : slices) {
      units += slice.quantity().units();
    }
    return units;
  }
}
