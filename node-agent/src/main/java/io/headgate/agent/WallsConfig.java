package io.headgate.agent;

import io.headgate.agent.runtime.attempt.JobLimits;
import io.headgate.agent.runtime.host.JobWalls;
import io.headgate.kit.config.ByteSize;
import io.headgate.kit.config.Setting;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// How jobs are walled off from the machine and from each other.
public record WallsConfig(
    @Setting(
            meaning =
                "Whether each attempt has a user of its own. `auto`: where the "
                    + "agent can; `required`: the agent does not start without.")
        JobWalls.Wanted users,
    @Setting(
            meaning =
                "First id of those users. No other user of the machine or of "
                    + "shared storage may be in the range.",
            bound = "at least 1000")
        int firstUser,
    @Setting(meaning = "Number of those users, more than jobs run at once.", bound = "at least 1")
        int userCount,
    @Setting(
            meaning =
                "Whether each attempt has its own mounts, processes, messages "
                    + "and device files. `auto`: where the agent can; `required`: the "
                    + "agent does not start without.")
        JobWalls.Wanted namespaces,
    @Setting(
            meaning =
                "`machine`: jobs use the machine's network. `own`: a job has a "
                    + "loopback of its own and nothing else.")
        Network network,
    @Setting(
            meaning =
                "Whether each attempt may make only the system calls that jobs "
                    + "need. `auto`: where the agent can; `required`: the agent does "
                    + "not start without.")
        JobWalls.Wanted syscalls,
    @Setting(
            meaning =
                "Whether jobs on the machine's network are kept from the metadata service of a "
                    + "cloud, which gives out the machine's credentials. `auto`: where the agent "
                    + "can; `required`: the agent does not start without.")
        JobWalls.Wanted metadata,
    @Setting(
            meaning =
                "Whether the directories of a job are limited in disk space, by a project quota of "
                    + "their file system. `auto`: where the agent can; `required`: the agent does "
                    + "not start without.")
        JobWalls.Wanted disk,
    @Setting(
            meaning =
                "Directories that jobs find at their place, although the walls "
                    + "would hide them.",
            bound = "absolute")
        List<Path> shared,
    @Setting(
            meaning =
                "Device files, or directories of them, that all jobs may use, "
                    + "such as /dev/infiniband.",
            bound = "below /dev")
        List<Path> devices,
    @Setting(meaning = "Upper limits of a job.") Limits limits) {
  /// Which network a job has.
  public enum Network {
    /// The machine's.
    MACHINE,
    /// One without a way out.
    OWN
  }

  /// Upper limits of a job; CPU and memory are defaults for jobs that request none.
  public record Limits(
      @Setting(meaning = "Processes and threads of a job.", bound = "at least 16") int processes,
      @Setting(
              meaning =
                  "Files that one process of a job may have open, no more than " + "the agent may.",
              bound = "at least 64")
          int files,
      @Setting(
              meaning = "Cores of a job that requests none.",
              bound = "at least 1",
              absent = "as `unrequested` says")
          Optional<Integer> cpus,
      @Setting(meaning = "Memory of a job that requests none.", absent = "as `unrequested` says")
          Optional<ByteSize> memory,
      @Setting(
              meaning =
                  "Disk space of a job's directories together, where `walls.disk` stands; for a "
                      + "pod, of its temporary directories.",
              absent = "as `unrequested` says")
          Optional<ByteSize> disk,
      @Setting(
              meaning =
                  "Cores and memory of a job that requests none. `share`: the part of the "
                      + "machine that its GPUs are of the machine's; of the processes and the disk, "
                      + "too. `unlimited`: all that is there.")
          Unrequested unrequested) {
    /// The cores and memory of a job that requests none.
    public enum Unrequested {
      /// A share in proportion to its GPUs.
      SHARE,
      /// No limit.
      UNLIMITED
    }

    public static final Limits DEFAULTS =
        new Limits(
            8192, 65_536, Optional.empty(), Optional.empty(), Optional.empty(), Unrequested.SHARE);

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
          JobWalls.Wanted.AUTO,
          JobWalls.Wanted.NONE,
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
        users,
        firstUser,
        userCount,
        namespaces,
        network,
        syscalls,
        metadata,
        disk,
        directories,
        devices,
        limits);
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
        metadata,
        disk,
        shared,
        devices,
        new JobLimits(
            limits.processes(),
            limits.files(),
            1000L * limits.cpus().orElse(0),
            limits.memory().map(ByteSize::bytes).orElse(0L),
            limits.disk().map(ByteSize::bytes).orElse(0L),
            Optional.empty()));
  }
}
