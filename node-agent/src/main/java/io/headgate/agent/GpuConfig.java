package io.headgate.agent;

import io.headgate.kit.config.ByteSize;
import io.headgate.kit.config.Setting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// How the agent treats the machine's own GPUs.
public record GpuConfig(
    @Setting(
            meaning =
                "Libraries that GPUs are found with. `auto` takes NVIDIA's and "
                    + "AMD's, whichever exist. With `nvml` or `rocm` the agent starts "
                    + "only with a GPU of that maker. `none` leaves all GPUs alone.")
        Driver driver,
    @Setting(meaning = "NVIDIA's library.") Nvml nvml,
    @Setting(meaning = "AMD's library.") Rocm rocm,
    @Setting(meaning = "Multi-Instance GPU, the division of NVIDIA's GPUs in hardware.") Mig mig,
    @Setting(
            meaning =
                "NVIDIA's Multi-Process Service, for parts of GPUs where no "
                    + "stronger mechanism exists.")
        Mps mps,
    @Setting(
            meaning =
                "The watch over the memory of slices. From the excess to "
                    + "SIGKILL it takes at most three intervals and the grace.")
        Watchdog watchdog,
    @Setting(meaning = "The watch over the health of GPUs, and their metrics.") Health health,
    @Setting(meaning = "The lock by which one agent of a machine has its GPUs.") Lock lock) {
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
  public record Nvml(
      @Setting(meaning = "Name or path of the library.") String library,
      @Setting(
              meaning =
                  "Longest time of a call. After it, the slice that the call was "
                      + "for has failed.",
              bound = "at least 100ms")
          Duration timeout,
      @Setting(
              meaning = "Path of NVIDIA's `cuda-checkpoint`, which suspends jobs.",
              bound = "absolute",
              absent = "jobs are stopped, not suspended")
          Optional<Path> checkpoint,
      @Setting(
              meaning = "Longest time of a suspension. After it, the job is stopped.",
              bound = "at least 100ms")
          Duration checkpointTimeout,
      @Setting(
              meaning =
                  "`hold`: a slice is free only when the driver shows that nothing of its job is "
                      + "left in the GPU's memory. `ignore`: it is free when it is removed.")
          Remains remains) {
    /// The fate of a slice whose job left something in the GPU's memory.
    public enum Remains {
      /// It is not free.
      HOLD,
      /// It is free.
      IGNORE
    }

    public static final Nvml DEFAULTS = new Nvml("libnvidia-ml.so.1", Duration.ofSeconds(30));

    /// A configuration without a program that suspends jobs.
    public Nvml(String library, Duration timeout) {
      this(library, timeout, Optional.empty(), Duration.ofSeconds(60), Remains.HOLD);
    }

    public Nvml {
      Bounds.said("gpu.nvml.library", library, "a name or a path, or leave it out");
      Bounds.atLeast("gpu.nvml.timeout", timeout, Bounds.SHORTEST_WAIT);
      checkpoint.ifPresent(program -> Bounds.absolute("gpu.nvml.checkpoint", program));
      Bounds.atLeast("gpu.nvml.checkpoint-timeout", checkpointTimeout, Bounds.SHORTEST_WAIT);
    }
  }

  /// AMD's library, ROCm SMI.
  public record Rocm(
      @Setting(
              meaning =
                  "Names or paths of ROCm SMI or AMD SMI; the first that exists " + "is used.")
          List<String> libraries,
      @Setting(
              meaning =
                  "Longest time of a call. After it, the slice that the call was "
                      + "for has failed.",
              bound = "at least 100ms")
          Duration timeout,
      @Setting(meaning = "Directory where the kernel shows its devices.", bound = "absolute")
          Path sysfs,
      @Setting(
              meaning =
                  "`auto` limits the memory of parts by the kernel's dmem "
                      + "controller, where the kernel accepts a limit. No test has "
                      + "shown yet that it holds for ROCm programs.")
          Dmem dmem) {
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
  public record Mig(
      @Setting(
              meaning =
                  "`pool` does what the node's pool says. `keep` leaves the mode "
                      + "of GPUs alone. `auto` turns MIG on at the start, on unused "
                      + "GPUs from Hopper on.")
          Mode mode,
      @Setting(
              meaning =
                  "MIG instances that no agent made: `keep` places nothing over "
                      + "them, `remove` deletes those that no process uses, at the "
                      + "start.")
          Strangers strangers) {
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
  public record Mps(
      @Setting(
              meaning =
                  "`auto` uses MPS where it works and no stronger mechanism "
                      + "exists. Beside a cgroup's limit it serves `compute` only.")
          Use use,
      @Setting(
              meaning =
                  "Protocol of the MPS daemon. `auto` takes the third where the "
                      + "driver has it and it works, else the second.")
          Protocol protocol,
      @Setting(meaning = "Path of the MPS control program.", bound = "absolute") Path control,
      @Setting(
              meaning =
                  "Directory for sockets and logs, on this machine, not shared " + "with others.",
              bound = "absolute; at most 56 characters, because paths of sockets are " + "short")
          Path directory,
      @Setting(
              meaning =
                  "Longest time for a daemon to start, to answer or to end. After "
                      + "it, the slice has failed.",
              bound = "at least 100ms")
          Duration timeout,
      @Setting(
              meaning =
                  "Memory of each slice that programs cannot allocate. A process "
                      + "takes that much just by using the GPU, which the watch counts "
                      + "and MPS does not.")
          ByteSize reserve,
      @Setting(
              meaning =
                  "`shared` lets a slice use all processors that others leave "
                      + "idle. `limited` gives it at most its part, while slices still "
                      + "compute by turns: two halves together use half of the GPU.")
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
  public record Watchdog(
      @Setting(
              meaning =
                  "Time between two samples of a job over its limit. Other "
                      + "devices are sampled half as often.",
              bound = "at least 10ms")
          Duration interval,
      @Setting(
              meaning =
                  "Time for the job's abort callback and its reaction to SIGTERM, "
                      + "half for each.",
              bound = "at least 0")
          Duration grace) {
    public static final Watchdog DEFAULTS =
        new Watchdog(Duration.ofMillis(150), Duration.ofMillis(400));

    public Watchdog {
      Bounds.atLeast("gpu.watchdog.interval", interval, Duration.ofMillis(10));
      Bounds.atLeast("gpu.watchdog.grace", grace, Duration.ZERO);
    }
  }

  /// The watch over the health of devices, and their measurements.
  public record Health(
      @Setting(meaning = "Time between two readings of a device.", bound = "at least 100ms")
          Duration interval,
      @Setting(
              meaning =
                  "Whether metrics of NVIDIA's GPUs are also exported under the "
                      + "names of NVIDIA's dcgm-exporter.")
          boolean dcgmNames) {
    public static final Health DEFAULTS = new Health(Duration.ofSeconds(10), false);

    public Health {
      Bounds.atLeast("gpu.health.interval", interval, Bounds.SHORTEST_WAIT);
    }
  }

  /// The lock by which one agent of a machine has its GPUs.
  public record Lock(
      @Setting(
              meaning =
                  "Whether the agent takes the lock. Without it, two agents may "
                      + "give away the same GPU.")
          boolean use,
      @Setting(
              meaning = "Directory of the lock.",
              absent = "`/run` for root, else `XDG_RUNTIME_DIR` or `/tmp`")
          Optional<Path> directory) {
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
