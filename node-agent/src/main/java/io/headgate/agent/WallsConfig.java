package io.headgate.agent;

import io.headgate.agent.runtime.attempt.JobLimits;
import io.headgate.agent.runtime.host.JobWalls;
import io.headgate.kit.config.ByteSize;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// How jobs are walled off from the machine and from each other.
///
/// @param users whether each attempt is a user of its own
/// @param firstUser of the range of those users; reserved for jobs on this machine
/// @param userCount how many they are, more than jobs run at once
/// @param namespaces whether each attempt has mounts, processes, messages and device files of its
///   own
/// @param network `own`: nothing but a loopback of its own
/// @param syscalls whether each attempt may make only the system calls that jobs have a use for
/// @param shared directories that jobs find as they are, also below `/tmp` or in a home directory
/// @param devices device files, or directories of them, that all jobs may use beside their slices
public record WallsConfig(
    JobWalls.Wanted users,
    int firstUser,
    int userCount,
    JobWalls.Wanted namespaces,
    Network network,
    JobWalls.Wanted syscalls,
    List<Path> shared,
    List<Path> devices,
    Limits limits) {
  /// Which network a job has.
  public enum Network {
    /// The machine's.
    MACHINE,
    /// One without a way out.
    OWN
  }

  /// Upper limits of a job; CPU and memory are defaults for jobs that request none.
  ///
  /// @param processes and threads of a job
  /// @param files that a process may have open, no more than the agent may
  /// @param cpus of a job that requests none; absent: unlimited
  /// @param memory of a job that requests none; absent: unlimited
  public record Limits(
      int processes, int files, Optional<Integer> cpus, Optional<ByteSize> memory) {
    public static final Limits DEFAULTS =
        new Limits(8192, 65_536, Optional.empty(), Optional.empty());

    public Limits {
      Bounds.atLeast("walls.limits.processes", processes, 16);
      Bounds.atLeast("walls.limits.files", files, 64);
      cpus.ifPresent(count -> Bounds.atLeast("walls.limits.cpus", count, 1));
    }
  }

  /// The range is one that systemd leaves alone, and below 2^31, which some file systems need.
  public static final WallsConfig DEFAULTS =
      new WallsConfig(
          JobWalls.Wanted.AUTO,
          1_900_000_000,
          1_000_000,
          JobWalls.Wanted.AUTO,
          Network.MACHINE,
          JobWalls.Wanted.AUTO,
          List.of(),
          List.of(),
          Limits.DEFAULTS);

  public WallsConfig {
    shared = List.copyOf(shared);
    devices = List.copyOf(devices);
    Bounds.require(
        firstUser >= 1000,
        "walls.first-user",
        Integer.toString(firstUser),
        "may be a user of the machine; at least 1000");
    Bounds.atLeast("walls.user-count", userCount, 1);
    Bounds.require(
        firstUser <= Integer.MAX_VALUE - userCount,
        "walls.user-count",
        Integer.toString(userCount),
        "is too many after walls.first-user %d; at most %d"
            .formatted(firstUser, Integer.MAX_VALUE - firstUser));
    Bounds.require(
        network == Network.MACHINE || namespaces != JobWalls.Wanted.NONE,
        "walls.network",
        "own",
        "needs namespaces, and walls.namespaces is none; leave one of the two out");
    shared.forEach(path -> Bounds.absolute("walls.shared", path));
    for (Path path : devices) {
      Bounds.require(
          path.startsWith("/dev/") && path.normalize().equals(path),
          "walls.devices",
          "'" + path + "'",
          "is not below /dev; name a device file, or a directory of them, without '..'");
    }
  }

  /// Returns a copy with these shared directories.
  public WallsConfig withShared(List<Path> directories) {
    return new WallsConfig(
        users, firstUser, userCount, namespaces, network, syscalls, directories, devices, limits);
  }

  /// The settings in the form that the runtime takes.
  public JobWalls.Settings settings() {
    return new JobWalls.Settings(
        users,
        firstUser,
        userCount,
        namespaces,
        network == Network.OWN,
        syscalls,
        shared,
        devices,
        new JobLimits(
            limits.processes(),
            limits.files(),
            1000L * limits.cpus().orElse(0),
            limits.memory().map(ByteSize::bytes).orElse(0L)));
  }
}
