package io.headgate.agent.driver.nvml;

import io.headgate.agent.driver.GpuDriverException;
import io.headgate.agent.driver.GpuProcess;
import io.headgate.agent.driver.SlicePlan;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// The remains of an ended job in the memory of a GPU, as the driver tells them. A slice with
/// remains is not free, so nothing of it is given to another job (T10).
///
/// Three things show that something is left:
///
/// - a process that has ended still has memory,
/// - another process has memory of a GPU that was the job's alone, and had none before,
/// - more memory than before belongs to no process, of a GPU that was the job's alone. On a shared
///   GPU neighbours come and go between two looks, and each of them costs the driver memory.
///
/// A driver that lies about all three is believed. Memory is not read, so nothing shows what is in
/// it.
record LeftMemory(Nvml nvml) {
  /// The most that a driver may keep for itself after a job and did not have before.
  static final long TOLERATED_BYTES = 1L << 30;

  private static final String UNOWNED = SlicePlan.BEFORE + "unowned";
  private static final String USERS = SlicePlan.BEFORE + "users";

  /// The plan with the use of the GPU before its job comes. A GPU that does not tell its processes
  /// leaves the plan as it is, and nothing is compared later.
  SlicePlan before(Gpu gpu, SlicePlan plan) {
    Optional<List<GpuProcess>> users = users(gpu);
    if (users.isEmpty()) {
      return plan;
    }
    SortedMap<String, String> placement = new TreeMap<>(plan.placement());
    placement.put(UNOWNED, Long.toString(unownedBytes(gpu, users.get())));
    placement.put(USERS, String.join(" ", pids(users.get())));
    return plan.withPlacement(placement);
  }

  /// @throws GpuDriverException names what is left
  void requireNone(Gpu gpu, SlicePlan plan) {
    String before = plan.placement().get(UNOWNED);
    Optional<List<GpuProcess>> told = before == null ? Optional.empty() : users(gpu);
    if (told.isEmpty()) {
      return;
    }
    List<GpuProcess> users = told.get();
    List<String> known = List.of(plan.placement().getOrDefault(USERS, "").split(" ", -1));
    boolean alone = WholeGpu.WORD.equals(plan.mechanism());
    for (GpuProcess user : users) {
      boolean isAlive = ProcessHandle.of(user.pid()).isPresent();
      if (!isAlive) {
        throw left(gpu, "process %d has ended and still has", user.pid(), user.bytes());
      }
      if (alone && !known.contains(Long.toString(user.pid()))) {
        throw left(
            gpu, "process %d, which was not there before the job, has", user.pid(), user.bytes());
      }
    }
    boolean allTell = users.stream().allMatch(user -> user.bytes() > 0);
    long more = unownedBytes(gpu, users) - Long.parseLong(before);
    if (alone && allTell && more > TOLERATED_BYTES) {
      throw new GpuDriverException(
          "%s: %d MiB more than before the job belong to no process"
              .formatted(gpu.words(), more >> 20));
    }
  }

  private static GpuDriverException left(Gpu gpu, String words, long pid, long bytes) {
    return new GpuDriverException(
        "%s: %s %d MiB of its memory".formatted(gpu.words(), words.formatted(pid), bytes >> 20));
  }

  private long unownedBytes(Gpu gpu, List<GpuProcess> users) {
    long owned = users.stream().mapToLong(GpuProcess::bytes).sum();
    return Math.max(0, nvml.memory(gpu.handle()).used() - owned);
  }

  /// Empty: the driver does not tell, as on some virtual GPUs.
  private static Optional<List<GpuProcess>> users(Gpu gpu) {
    return gpu.watchThread().call(gpu::toldProcesses);
  }

  private static List<String> pids(List<GpuProcess> users) {
    return users.stream().map(user -> Long.toString(user.pid())).toList();
  }
}
