package io.headgate.agent;

import io.headgate.kit.config.ByteSize;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// How the agent treats the machine's own GPUs.
///
/// @param driver where they come from
public record GpuConfig(
    Driver driver,
    Nvml nvml,
    Rocm rocm,
    Mig mig,
    Mps mps,
    Watchdog watchdog,
    Health health,
    Lock lock) {
  /// A configuration without a lock, for GPUs that no other agent can have.
  public GpuConfig(
      Driver driver, Nvml nvml, Rocm rocm, Mig mig, Mps mps, Watchdog watchdog, Health health) {
    this(driver, nvml, rocm, mig, mps, watchdog, health, new Lock(false, Optional.empty()));
  }

  /// Where GPUs come from.
  public enum Driver {
    /// NVIDIA's and AMD's GPUs, as far as present; the log says why the others are missing.
    AUTO,
    /// NVIDIA's; without at least one the agent does not start.
    NVML,
    /// AMD's; without at least one the agent does not start.
    ROCM,
    /// No GPUs: the agent leaves the machine's GPUs alone.
    NONE;

    /// Whether the agent refuses to start without GPUs.
    boolean isDemand() {
      return this == NVML || this == ROCM;
    }
  }

  /// NVIDIA's library.
  ///
  /// @param library its name, as the system's linker finds it, or its path
  /// @param timeout how long a call may take, before the slice that it was for has failed
  /// @param checkpoint the program that suspends jobs; where none is named they are stopped
  /// @param checkpointTimeout how long a suspension may take, before the job is stopped instead
  public record Nvml(
      String library, Duration timeout, Optional<Path> checkpoint, Duration checkpointTimeout) {
    public static final Nvml DEFAULTS = new Nvml("libnvidia-ml.so.1", Duration.ofSeconds(30));

    /// A configuration without a program that suspends jobs.
    public Nvml(String library, Duration timeout) {
      this(library, timeout, Optional.empty(), Duration.ofSeconds(60));
    }

    public Nvml {
      Bounds.said("gpu.nvml.library", library, "a name or a path, or leave it out");
      Bounds.atLeast("gpu.nvml.timeout", timeout, Bounds.SHORTEST_WAIT);
      checkpoint.ifPresent(program -> Bounds.absolute("gpu.nvml.checkpoint", program));
      Bounds.atLeast("gpu.nvml.checkpoint-timeout", checkpointTimeout, Bounds.SHORTEST_WAIT);
    }
  }

  /// AMD's library, ROCm SMI.
  ///
  /// @param libraries its names, as the system's linker finds it, or its paths; the first that is
  ///   there
  /// @param timeout how long a call may take, before the slice that it was for has failed
  /// @param sysfs where the kernel shows its devices
  /// @param dmem whether the kernel's dmem controller limits the memory of parts
  public record Rocm(List<String> libraries, Duration timeout, Path sysfs, Dmem dmem) {
    /// The controller of cgroup v2, since Linux 6.14.
    public enum Dmem {
      OFF,
      /// Where the kernel accepts a limit. No test has shown yet that it holds for ROCm programs.
      AUTO
    }

    public static final Rocm DEFAULTS =
        new Rocm(
            List.of(
                "librocm_smi64.so.1",
                "librocm_smi64.so.7",
                "librocm_smi64.so",
                "libamd_smi.so",
                "libamd_smi.so.26",
                "libamd_smi.so.25",
                "libamd_smi.so.24"),
            Duration.ofSeconds(30),
            Path.of("/sys"),
            Dmem.OFF);

    public Rocm {
      libraries = List.copyOf(libraries);
      Bounds.require(
          !libraries.isEmpty(),
          "gpu.rocm.libraries",
          "[]",
          "lists nothing; leave it out for the defaults");
      libraries.forEach(
          library -> Bounds.said("gpu.rocm.libraries", library, "each is a name or a path"));
      Bounds.atLeast("gpu.rocm.timeout", timeout, Bounds.SHORTEST_WAIT);
      Bounds.absolute("gpu.rocm.sysfs", sysfs);
    }
  }

  /// The operator's settings of MIG.
  ///
  /// @param mode whether it is turned on
  /// @param strangers the treatment of instances that this agent did not make
  public record Mig(Mode mode, Strangers strangers) {
    public static final Mig DEFAULTS = new Mig(Mode.POOL, Strangers.KEEP);

    /// Whether GPUs are divided at all.
    public enum Mode {
      /// As the node's pool says.
      POOL,
      /// MIG stays as it was when the agent started, whatever the pool says.
      KEEP,
      /// Turned on at the start on every unused GPU from Hopper on, whatever the pool says.
      AUTO
    }

    /// MIG instances that no agent made, found at the start.
    public enum Strangers {
      /// They stay, and nothing is placed over them.
      KEEP,
      /// Removed, unless a process uses them.
      REMOVE
    }
  }

  /// NVIDIA's Multi-Process Service, for parts of GPUs for which there is nothing stronger.
  ///
  /// @param use whether
  /// @param protocol in which its daemons are spoken to
  /// @param control its control program
  /// @param directory for its sockets and logs, on this machine, not shared with others
  /// @param timeout how long a daemon may take for its start, an answer or its end, before the
  ///   slice that it is for has failed
  /// @param reserve memory of each slice that programs cannot allocate: each process uses some
  ///   memory of a GPU without allocating it, which counts for the watch, but not for MPS
  /// @param compute whether a slice's part of the processors is limited too
  public record Mps(
      Use use,
      Protocol protocol,
      Path control,
      Path directory,
      Duration timeout,
      ByteSize reserve,
      Compute compute) {
    /// The longest directory, in characters, that leaves room for the names of sockets.
    private static final int MAX_DIRECTORY = 56;

    public static final Mps DEFAULTS =
        new Mps(
            Use.OFF,
            Protocol.AUTO,
            Path.of("/usr/bin/nvidia-cuda-mps-control"),
            Path.of("/run/headgate-mps"),
            Duration.ofSeconds(10),
            ByteSize.ofMebibytes(512),
            Compute.SHARED);

    /// Whether it is used.
    public enum Use {
      OFF,
      /// Where it works, and nothing is stronger, or only for `compute`.
      AUTO
    }

    /// The protocol of the MPS daemon.
    public enum Protocol {
      /// The third where the driver has it and it works, else the second.
      AUTO,
      /// The second, which all drivers have.
      V2,
      /// The third, that of driver 615 and later.
      V3
    }

    /// A slice's share of the processors.
    public enum Compute {
      /// All processors that other slices leave idle.
      SHARED,
      /// At most its part; also where memory is limited by cgroup.
      LIMITED
    }

    public Mps {
      Bounds.absolute("gpu.mps.control", control);
      Bounds.absolute("gpu.mps.directory", directory);
      Bounds.require(
          directory.toString().length() <= MAX_DIRECTORY,
          "gpu.mps.directory",
          "'" + directory + "'",
          "is too long for the paths of sockets; at most %d characters".formatted(MAX_DIRECTORY));
      Bounds.atLeast("gpu.mps.timeout", timeout, Bounds.SHORTEST_WAIT);
    }
  }

  /// The watch over the memory of slices. From the excess to SIGKILL it takes at most three
  /// intervals and the grace: by default less than a second.
  ///
  /// @param interval between two samples of a job over its limit; the second ends the job. Other
  ///   devices are sampled half as often
  /// @param grace for the job's abort callback and its reaction to SIGTERM, half for each
  public record Watchdog(Duration interval, Duration grace) {
    public static final Watchdog DEFAULTS =
        new Watchdog(Duration.ofMillis(150), Duration.ofMillis(400));

    public Watchdog {
      Bounds.atLeast("gpu.watchdog.interval", interval, Duration.ofMillis(10));
      Bounds.atLeast("gpu.watchdog.grace", grace, Duration.ZERO);
    }
  }

  /// The watch over the health of devices, and their measurements.
  ///
  /// @param interval between two readings of a device
  /// @param dcgmNames whether measurements of NVIDIA GPUs are repeated under the names of NVIDIA's
  ///   dcgm-exporter
  public record Health(Duration interval, boolean dcgmNames) {
    public static final Health DEFAULTS = new Health(Duration.ofSeconds(10), false);

    public Health {
      Bounds.atLeast("gpu.health.interval", interval, Bounds.SHORTEST_WAIT);
    }
  }

  /// The lock by which one agent of a machine has its GPUs.
  ///
  /// @param use whether
  /// @param directory where it is; absent: `/run` for root, else where the user's files of this
  ///   boot are
  public record Lock(boolean use, Optional<Path> directory) {
    /// The variable counts also for agents that have no configuration of their own, as those of
    /// `up`.
    public static final Lock DEFAULTS =
        new Lock(
            true,
            Optional.ofNullable(System.getenv("HEADGATE_AGENT_GPU_LOCK_DIRECTORY")).map(Path::of));
  }

  public static final GpuConfig DEFAULTS = of(Driver.AUTO);

  public static final GpuConfig NONE = of(Driver.NONE);

  private static GpuConfig of(Driver driver) {
    return new GpuConfig(
        driver,
        Nvml.DEFAULTS,
        Rocm.DEFAULTS,
        Mig.DEFAULTS,
        Mps.DEFAULTS,
        Watchdog.DEFAULTS,
        Health.DEFAULTS,
        Lock.DEFAULTS);
  }
}
