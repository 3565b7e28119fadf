package io.headgate.agent.driver.nvml;

import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.GpuProcess;
import io.headgate.agent.driver.Lane;
import java.util.List;

/// One GPU of the running agent: what is known of it, and how it is spoken to.
///
/// @param lane on which slices of it are made and removed, one after the other: what two calls at
///   once do to one GPU is not worth finding out
/// @param watchLane on which it is asked who uses it, which must not wait for those
/// @param users used on that one
record Gpu(NvmlDevice facts, Nvml.Device handle, Lane lane, Lane watchLane, ProcessLists users) {
  /// The processes that use it. Only on the watch's lane.
  List<GpuProcess> processes() {
    try {
      return users.memoryByProcess(handle.pointer()).entrySet().stream()
          .map(use -> new GpuProcess(use.getKey(), use.getValue()))
          .toList();
    } catch (NvmlException e) {
      throw new GpuDriverException(words() + ": " + e.getMessage());
    }
  }

  void close() {
    lane.close();
    watchLane.close();
  }

  String words() {
    return "GPU %d (%s)".formatted(facts.index(), facts.uuid());
  }
}
