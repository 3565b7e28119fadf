package io.headgate.agent.runtime.attempt;

import io.headgate.type.GpuQuantity;
import java.util.Optional;

/// Upper limits of one job.
///
/// @param processes processes and threads together
/// @param files open files of one process
/// @param cpuMillis of a job that requests none; 0: its share of the machine
/// @param memoryBytes of a job that requests none; 0: its share of the machine
/// @param machine the machine that jobs share; empty: jobs that request none are not limited
public record JobLimits(
    int processes, int files, long cpuMillis, long memoryBytes, Optional<Capacity> machine) {
  /// Part of the machine's memory that no share contains, for the system and the agent.
  private static final int SYSTEM_PART = 10;

  /// A job without a GPU has the share of one GPU, and at most this part of the machine.
  private static final int LEAST_PARTS = 4;

  private static final long LEAST_CPU_MILLIS = 1000;
  private static final long LEAST_MEMORY_BYTES = 256L << 20;
  private static final int LEAST_PROCESSES = 256;

  /// A machine that jobs share.
  ///
  /// @param cpuMillis for jobs
  /// @param memoryBytes for jobs
  /// @param processes and threads that all jobs together may have
  public record Capacity(int gpus, long cpuMillis, long memoryBytes, long processes) {}

  /// Limits of a job; 0: not limited.
  public record Granted(long cpuMillis, long memoryBytes, int processes) {}

  public JobLimits on(Capacity shared) {
    return new JobLimits(processes, files, cpuMillis, memoryBytes, Optional.of(shared));
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
    long part = units > 0 ? units : GpuQuantity.UNITS_PER_GPU;
    long parts = units > 0 ? Math.max(1, shared.gpus()) : Math.max(LEAST_PARTS, shared.gpus());
    long whole = Math.max(part, parts * GpuQuantity.UNITS_PER_GPU);
    long ofJobs = shared.memoryBytes() - shared.memoryBytes() / SYSTEM_PART;
    return new Granted(
        cpu > 0 ? cpu : Math.max(LEAST_CPU_MILLIS, share(shared.cpuMillis(), part, whole)),
        memory > 0 ? memory : Math.max(LEAST_MEMORY_BYTES, share(ofJobs, part, whole)),
        (int)
            Math.min(processes, Math.max(LEAST_PROCESSES, share(shared.processes(), part, whole))));
  }

  /// In two steps, so that no amount overflows.
  private static long share(long amount, long part, long whole) {
    return amount / whole * part + amount % whole * part / whole;
  }
}
