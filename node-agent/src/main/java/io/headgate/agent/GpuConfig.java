package io.headgate.agent;

import java.time.Duration;

/// How the agent treats the machine's own GPUs.
///
/// @param driver where they come from
public record GpuConfig(Driver driver, Nvml nvml, Mig mig) {
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

  public static final GpuConfig DEFAULTS = new GpuConfig(Driver.AUTO, Nvml.DEFAULTS, Mig.DEFAULTS);

  public static final GpuConfig NONE = new GpuConfig(Driver.NONE, Nvml.DEFAULTS, Mig.DEFAULTS);
}
