package io.headgate.agent.runtime.attempt;

import io.headgate.agent.process.DiskQuota;
import io.headgate.type.GpuQuantity;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// Upper limits of one job.
///
/// @param processes processes and threads together
/// @param files open files of one process
/// @param cpuMillis of a job that requests none; 0: its share of the machine
/// @param memoryBytes of a job that requests none; 0: its share of the machine
/// @param diskBytes of each job; 0: its share of the file system
/// @param machine the machine that jobs share; empty: jobs that request none are not limited
public record JobLimits(
    int processes,
    int files,
    long cpuMillis,
    long memoryBytes,
    long diskBytes,
    Optional<Capacity> machine) {
  /// Part of the machine's memory and disk that no share contains, for the system and the agent.
  private static final int SYSTEM_PART = 10;

  /// A job without a GPU has the share of one GPU, and at most this part of the machine.
  private static final int LEAST_PARTS = 4;

  private static final long LEAST_CPU_MILLIS = 1000;
  private static final long LEAST_MEMORY_BYTES = 256L << 20;
  private static final int LEAST_PROCESSES = 256;
  private static final long LEAST_DISK_BYTES = 64L << 20;
  private static final long LEAST_DISK_FILES = 1000;

  /// A machine that jobs share.
  ///
  /// @param cpuMillis for jobs
  /// @param memoryBytes for jobs
  /// @param processes and threads that all jobs together may have
  public record Capacity(int gpus, long cpuMillis, long memoryBytes, long processes) {}

  /// Limits of a job; 0: not limited.
  public record Granted(long cpuMillis, long memoryBytes, int processes) {
    /// Variables that tell the job: programs that size pools and caches by the machine would pass
    /// these limits.
    public SortedMap<String, String> variables() {
      SortedMap<String, String> variables = new TreeMap<>();
      if (cpuMillis > 0) {
        variables.put("HEADGATE_CPU_LIMIT_MILLIS", Long.toString(cpuMillis));
      }
      if (memoryBytes > 0) {
        variables.put("HEADGATE_MEMORY_LIMIT_BYTES", Long.toString(memoryBytes));
      }
      return variables;
    }
  }

  public JobLimits on(Capacity shared) {
    return new JobLimits(processes, files, cpuMillis, memoryBytes, diskBytes, Optional.of(shared));
  }

  /// The limits of a job. Its own request counts first, then the configuration, then its share: the
  /// part of the machine that its GPUs are of the machine's GPUs.
  ///
  /// Example: of 8 GPUs, 128 cores and 1000 GiB, a job with 2 GPUs that requests nothing gets 32
  /// cores and 225 GiB, for a tenth of the memory is the system's. A job without a GPU gets half of
  /// that.
  ///
  /// @param units of GPU that it has, in 1/126000
  /// @param cpuAsked 0: none
  /// @param memoryAsked 0: none
  public Granted of(long units, long cpuAsked, long memoryAsked) {
    long cpu = cpuAsked > 0 ? cpuAsked : cpuMillis;
    long memory = memoryAsked > 0 ? memoryAsked : memoryBytes;
    if (machine.isEmpty()) {
      return new Granted(cpu, memory, processes);
    }
    Capacity shared = machine.get();
    Part part = Part.of(units, shared.gpus());
    return new Granted(
        cpu > 0 ? cpu : Math.max(LEAST_CPU_MILLIS, part.of(shared.cpuMillis())),
        memory > 0
            ? memory
            : Math.max(LEAST_MEMORY_BYTES, part.of(withoutSystem(shared.memoryBytes()))),
        (int) Math.min(processes, Math.max(LEAST_PROCESSES, part.of(shared.processes()))));
  }

  /// The disk space of a job: what the configuration says, else its share.
  ///
  /// @param units of GPU that it has, in 1/126000
  /// @param room the space that all jobs together may have
  /// @return empty: it is not limited
  public Optional<DiskQuota.Space> disk(long units, DiskQuota.Space room) {
    if (machine.isEmpty()) {
      return diskBytes > 0
          ? Optional.of(new DiskQuota.Space(diskBytes, Long.MAX_VALUE))
          : Optional.empty();
    }
    Part part = Part.of(units, machine.get().gpus());
    return Optional.of(
        new DiskQuota.Space(
            diskBytes > 0
                ? diskBytes
                : Math.max(LEAST_DISK_BYTES, part.of(withoutSystem(room.bytes()))),
            Math.max(LEAST_DISK_FILES, part.of(withoutSystem(room.files())))));
  }

  private static long withoutSystem(long amount) {
    return amount - amount / SYSTEM_PART;
  }

  /// The part of a machine that a job has: `units` of `whole`.
  private record Part(long units, long whole) {
    static Part of(long units, int gpus) {
      long part = units > 0 ? units : GpuQuantity.UNITS_PER_GPU;
      long parts = units > 0 ? Math.max(1, gpus) : Math.max(LEAST_PARTS, gpus);
      return new Part(part, Math.max(part, parts * GpuQuantity.UNITS_PER_GPU));
    }

    /// In two steps, so that no amount overflows.
    long of(long amount) {
      return amount / whole * units + amount % whole * units / whole;
    }
  }
}
