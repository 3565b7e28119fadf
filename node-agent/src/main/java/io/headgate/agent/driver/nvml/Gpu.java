package io.headgate.agent.driver.nvml;

import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.GpuProcess;
import io.headgate.agent.driver.NativeThread;
import java.util.List;
import java.util.Optional;

/// One GPU of the running agent: its facts, its handle, and the threads that call it.
///
/// @param thread makes and removes its slices, one after the other, because the effect of two
///   concurrent calls on one GPU is unknown
/// @param watchThread asks which processes use it, without waiting for `thread`
/// @param users called on `watchThread` only
record Gpu(
    NvmlDevice facts,
    Nvml.Device handle,
    NativeThread thread,
    NativeThread watchThread,
    ProcessLists users) {
  /// The processes that use it. Only on the watch's thread.
  List<GpuProcess> processes() {
    try {
      return list();
    } catch (NvmlException e) {
      throw new GpuDriverException(words() + ": " + e.getMessage());
    }
  }

  /// The processes that use it; empty where the driver does not tell, as on some virtual GPUs.
  Optional<List<GpuProcess>> toldProcesses() {
    try {
      return Optional.of(list());
    } catch (NvmlException e) {
      if (e.status() == NvmlStatus.NOT_SUPPORTED) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private List<GpuProcess> list() {
    return users.memoryByProcess(handle.pointer()).entrySet().stream()
        .map(use -> new GpuProcess(use.getKey(), use.getValue()))
        .toList();
  }

  void close() {
    thread.close();
    watchThread.close();
  }

  String words() {
    return "GPU %d (%s)".formatted(facts.index(), facts.uuid());
  }
}
