package io.headgate.agent.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// The resources that the processes of an attempt use together.
///
/// @param cpuNanos so far; where processes are counted one by one, the time of ended ones may be
///   lost
/// @param memoryBytes now, without the page cache that the kernel gives up when memory is needed
/// @param oomKills processes that were killed because all had too much memory, as far as a cgroup
///   counts them
public record JobUsage(long cpuNanos, long memoryBytes, long oomKills) {
  public static final JobUsage NONE = new JobUsage(0, 0, 0);
  private static final int NANOS_PER_MICRO = 1000;

  /// By a cgroup of version 2; empty: it does not count both.
  static Optional<JobUsage> of(Path cgroup) {
    try {
      return Optional.of(
          new JobUsage(
              number(cgroup.resolve("cpu.stat"), "usage_usec") * NANOS_PER_MICRO,
              memoryBytes(cgroup),
              number(cgroup.resolve("memory.events"), "oom_kill")));
    } catch (IOException | NumberFormatException _) {
      return Optional.empty();
    }
  }

  private static long memoryBytes(Path cgroup) throws IOException {
    long all = Long.parseLong(Files.readString(cgroup.resolve("memory.current")).strip());
    Path parts = cgroup.resolve("memory.stat");
    return Math.max(0, all - number(parts, "inactive_file") - number(parts, "active_file"));
  }

  private static long number(Path file, String key) throws IOException {
    for (String line : Files.readAllLines(file)) {
      if (line.startsWith(key + " ")) {
        return Long.parseLong(line.substring(key.length() + 1));
      }
    }
    throw new IOException(file + " does not tell " + key);
  }

  JobUsage plus(JobUsage other) {
    return new JobUsage(
        cpuNanos + other.cpuNanos, memoryBytes + other.memoryBytes, oomKills + other.oomKills);
  }
}
