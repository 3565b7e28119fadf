package io.headgate.agent.driver.nvml;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// NVML's lists of the processes that have memory of a GPU: of one that MIG divides, root is told
/// of all instances without asking each.
record ProcessLists(NvmlApi api) {
  private static final int EXPECTED = 64;
  private static final int MAX_PROCESSES = 4096;
  private static final long UNKNOWN_BYTES = -1;

  /// What a process has of an instance. One that computes and draws is in two lists, with the same
  /// memory.
  private record Use(int pid, int gpuInstance, int computeInstance) {}

  private interface ProcessList {
    int read(Pointer device, IntByReference count, Pointer infos);
  }

  /// Bytes by process, in all of its instances together.
  SortedMap<Integer, Long> memoryByProcess(Pointer device) {
    Map<Use, Long> uses = new HashMap<>();
    read("Compute", api::nvmlDeviceGetComputeRunningProcesses_v3, device, uses);
    read("Graphics", api::nvmlDeviceGetGraphicsRunningProcesses_v3, device, uses);
    read("MPSCompute", api::nvmlDeviceGetMPSComputeRunningProcesses_v3, device, uses);
    SortedMap<Integer, Long> bytes = new TreeMap<>();
    uses.forEach((use, used) -> bytes.merge(use.pid(), used, Long::sum));
    return bytes;
  }

  private void read(String kind, ProcessList list, Pointer device, Map<Use, Long> uses) {
    int room = EXPECTED;
    while (true) {
      Struct infos = Struct.array(Layout.PROCESS_INFO, room);
      IntByReference count = new IntByReference(room);
      int code = list.read(device, count, infos.pointer());
      NvmlStatus status = NvmlStatus.of(code);
      if (status == NvmlStatus.INSUFFICIENT_SIZE && room < MAX_PROCESSES) {
        room *= 2;
        continue;
      }
      if (status != NvmlStatus.SUCCESS && status != NvmlStatus.NOT_SUPPORTED) {
        throw new NvmlException(
            "nvmlDeviceGet" + kind + "RunningProcesses", code, api.nvmlErrorString(code));
      }
      for (int i = 0; status == NvmlStatus.SUCCESS && i < count.getValue(); i++) {
        add(infos, i, uses);
      }
      return;
    }
  }

  private static void add(Struct infos, int index, Map<Use, Long> uses) {
    long used = infos.u64(index, "usedGpuMemory");
    uses.merge(
        new Use(
            infos.u32(index, "pid"),
            infos.u32(index, "gpuInstanceId"),
            infos.u32(index, "computeInstanceId")),
        used == UNKNOWN_BYTES ? 0 : used,
        Math::max);
  }
}
