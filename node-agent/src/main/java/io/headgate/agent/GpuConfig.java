package io.headgate.agent;

import java.time.Duration;

/// How the agent treats the machine's own GPUs.
///
/// @param driver where they come from
public record GpuConfig(Driver driver, Nvml nvml, Mig mig, Watchdog watchdog) {
  /// Where GPUs come from.
  public enum Driver {
    /// NVML's if it works; otherwise the machine has no GPUs, and the log says why.
    AUTO,
    /// NVML's; without at least one the agent does not start.
    NVML,
    /// From nowhere: those that there may be are left alone.
    NONE
  }

  /// NVIDIA's library.
  ///
  /// @param library its name, as the system's linker finds it, or its path
  /// @param timeout how long a call may take, before the slice that it was for has failed
  public record Nvml(String library, Duration timeout) {
    public static final Nvml DEFAULTS = new Nvml("libnvidia-ml.so.1", Duration.ofSeconds(30));

    public Nvml {
      if (library.isBlank() || timeout.compareTo(Duration.ofMillis(100)) < 0) {
        throw new IllegalArgumentException("nvml: a library, and a timeout of at least 100ms");
      }
    }
  }

  /// What of MIG is the operator's to say.
  public record Mig(Strangers strangers) {
    public static final Mig DEFAULTS = new Mig(Strangers.KEEP);

    /// MIG instances that no agent made, found at the start.
    public enum Strangers {
      /// They stay, and nothing is placed over them.
      KEEP,
      /// They are removed, unless somebody uses them.
      REMOVE
    }
  }

  /// The watch over the memory of slices. From the excess to SIGKILL it takes two intervals and the
  /// grace: by default less than a second.
  ///
  /// @param interval between two samples; the second over the limit is one too many
  /// @param grace for the job's abort callback and its reaction to SIGTERM, half for each
  public record Watchdog(Duration interval, Duration grace) {
    public static final Watchdog DEFAULTS =
        new Watchdog(Duration.ofMillis(150), Duration.ofMillis(400));

    public Watchdog {
      if (interval.compareTo(Duration.ofMillis(10)) < 0 || grace.isNegative()) {
        throw new IllegalArgumentException("watchdog: an interval of at least 10ms, and a grace");
      }
    }
  }

  public static final GpuConfig DEFAULTS =
      new GpuConfig(Driver.AUTO, Nvml.DEFAULTS, Mig.DEFAULTS, Watchdog.DEFAULTS);

  public static final GpuConfig NONE =
      new GpuConfig(Driver.NONE, Nvml.DEFAULTS, Mig.DEFAULTS, Watchdog.DEFAULTS);
}
