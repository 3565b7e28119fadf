package io.headgate.agent.driver.nvml;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The part of a GPU's time in which it computed for each process. NVML keeps samples of the last
/// seconds, several a second. Their mean since the last look counts.
///
/// @param has whether the library has a function
/// @param lastSeen time of the last sample by GPU, by the driver's clock
record ProcessUtilization(NvmlHealthApi api, Predicate<String> has, Map<String, Long> lastSeen) {
  private static final String FUNCTION = "nvmlDeviceGetProcessUtilization";
  private static final int MAX_SAMPLES = 8_192;
  private static final int PERCENT = 100;

  ProcessUtilization(NvmlHealthApi api, Predicate<String> has) {
    this(api, has, new ConcurrentHashMap<>());
  }

  private static final class Mean {
    private long sum;
    private int count;
  }

  /// By process; empty: the driver does not tell, as on divided GPUs. On the thread of the GPU's
  /// watch.
  Optional<Map<Long, Double>> read(Gpu gpu) {
    if (!has.test(FUNCTION)) {
      return Optional.empty();
    }
    Pointer device = gpu.handle().pointer();
    long since = lastSeen.getOrDefault(gpu.facts().uuid(), 0L);
    IntByReference count = new IntByReference();
    int code = api.nvmlDeviceGetProcessUtilization(device, null, count, since);
    int room = Math.min(count.getValue(), MAX_SAMPLES);
    if (NvmlStatus.of(code) == NvmlStatus.NOT_FOUND || (room == 0 && isAnswer(code))) {
      // No process had a sample.
      return Optional.of(Map.of());
    }
    if (!isAnswer(code)) {
      return Optional.empty();
    }
    Struct samples = Struct.array(Layout.PROCESS_UTILIZATION, room);
    count.setValue(room);
    code = api.nvmlDeviceGetProcessUtilization(device, samples.pointer(), count, since);
    return switch (NvmlStatus.of(code)) {
      case SUCCESS -> Optional.of(means(gpu, samples, Math.min(room, count.getValue())));
      case NOT_FOUND -> Optional.of(Map.of());
      default -> Optional.empty();
    };
  }

  private static boolean isAnswer(int code) {
    NvmlStatus status = NvmlStatus.of(code);
    return status == NvmlStatus.SUCCESS || status == NvmlStatus.INSUFFICIENT_SIZE;
  }

  private Map<Long, Double> means(Gpu gpu, Struct samples, int count) {
    Map<Long, Mean> means = new HashMap<>();
    long last = lastSeen.getOrDefault(gpu.facts().uuid(), 0L);
    for (int i = 0; i < count; i++) {
      long percent = Integer.toUnsignedLong(samples.u32(i, "smUtil"));
      long pid = Integer.toUnsignedLong(samples.u32(i, "pid"));
      last = Math.max(last, samples.u64(i, "timeStamp"));
      if (pid != 0 && percent <= PERCENT) {
        Mean mean = means.computeIfAbsent(pid, _ -> new Mean());
        mean.sum += percent;
        mean.count++;
      }
    }
    lastSeen.put(gpu.facts().uuid(), last);
    Map<Long, Double> parts = new HashMap<>();
    means.forEach((pid, mean) -> parts.put(pid, mean.sum / (double) mean.count / PERCENT));
    return parts;
  }

  /// The sum by owner of processes' parts.
  static <T> Map<T, Double> sums(Map<Long, Double> byProcess, Map<Long, T> owners) {
    Map<T, Double> sums = new HashMap<>();
    byProcess.forEach((pid, part) -> {
      @Nullable T owner = owners.get(pid);
      if (owner != null) {
        sums.merge(owner, part, Double::sum);
      }
    });
    return sums;
  }
}
