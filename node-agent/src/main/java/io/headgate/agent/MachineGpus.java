package io.headgate.agent;

import io.headgate.agent.core.DeviceInfo;
import java.util.List;
import java.util.Optional;

/// The GPUs of this machine, as an agent on it would find them.
///
/// @param absent what is not here of drivers that a machine may well do without, in a sentence each
/// @param problems why what is here cannot be used, likewise
/// @param holder the agent that gives them to jobs already, in words
public record MachineGpus(
    List<DeviceInfo> devices, List<String> absent, List<String> problems, Optional<String> holder) {
  public MachineGpus {
    devices = List.copyOf(devices);
    absent = List.copyOf(absent);
    problems = List.copyOf(problems);
  }

  /// Looks at them. Nothing of them is changed; the driver's module for managed memory is loaded,
  /// as by any program that uses CUDA, if it is not yet.
  public static MachineGpus look() {
    return GpuDrivers.look(GpuConfig.DEFAULTS);
  }
}
