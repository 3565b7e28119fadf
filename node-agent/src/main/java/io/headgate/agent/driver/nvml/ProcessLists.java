package io.headgate.agent.driver.nvml;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// NVML's lists of the processes that have memory of a GPU. For a GPU that MIG divides, root gets
/// the processes of all instances in one call. Confined to one thread at a time, because the memory
/// for the lists is reused by the next call.
final class ProcessLists {
  private static final String COMPUTE = "Compute";
  private static final int EXPECTED = 64;
  private static final int MAX_PROCESSES = 4096;
  private static final long UNKNOWN_BYTES = -1;

  private final NvmlApi api;
  private final IntByReference count = new IntByReference();
  private int room = EXPECTED;
  private Struct infos = Struct.array(Layout.PROCESS_INFO, room);

  /// A process on an instance. A process that both computes and draws is in two lists, with equal
  /// memory.
  private record Use(int pid, int gpuInstance, int computeInstance) {}

  private interface ProcessList {
    int read(Pointer device, IntByReference count, Pointer infos);
  }

  ProcessLists(NvmlApi api) {
    this.api = api;
  }

  /// Bytes by process, in all of its instances together.
  ///
  /// @throws NvmlException also where the driver does not tell, as on some virtual GPUs: the users
  ///   of the device are then unknown
  SortedMap<Integer, Long> memoryByProcess(Pointer device) {
    Map<Use, Long> uses = new HashMap<>();
    read(COMPUTE, api::nvmlDeviceGetComputeRunningProcesses_v3, device, uses);
    read("Graphics", api::nvmlDeviceGetGraphicsRunningProcesses_v3, device, uses);
    read("MPSCompute", api::nvmlDeviceGetMPSComputeRunningProcesses_v3, device, uses);
    SortedMap<Integer, Long> bytes = new TreeMap<>();
    uses.forEach((use, used) -> bytes.merge(use.pid(), used, Long::sum));
    return bytes;
  }

  private void read(String kind, ProcessList list, Pointer device, Map<Use, Long> uses) {
    int code;
    while (true) {
      count.setValue(room);
      code = list.read(device, count, infos.pointer());
      if (NvmlStatus.of(code) != NvmlStatus.INSUFFICIENT_SIZE || room >= MAX_PROCESSES) {
        break;
      }
      room *= 2;
      infos = Struct.array(Layout.PROCESS_INFO, room);
    }
    switch (NvmlStatus.of(code)) {
      case SUCCESS -> {
        for (int i = 0; i < count.getValue(); i++) {
          add(i, uses);
        }
      }
      case NOT_SUPPORTED -> {
        // Where programs compute, others need not be possible.
        if (kind.equals(COMPUTE)) {
          throw failure(kind, code);
        }
      }
      default -> throw failure(kind, code);
    }
  }

  private NvmlException failure(String kind, int code) {
    return new NvmlException(
        "nvmlDeviceGet" + kind + "RunningProcesses", code, api.nvmlErrorString(code));
  }

  private void add(int index, Map<Use, Long> uses) {
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
