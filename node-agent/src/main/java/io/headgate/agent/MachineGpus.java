package io.headgate.agent;

import io.headgate.agent.core.DeviceInfo;
import java.util.List;
import java.util.Optional;

/// The GPUs of this machine, as an agent on it would find them.
///
/// @param absent drivers or parts of them that are missing and that a machine may do without, in a
///   sentence each
/// @param problems the reasons why present parts cannot be used, in a sentence each
/// @param holder the agent that gives them to jobs already, in words
public record MachineGpus(
    List<DeviceInfo> devices, List<String> absent, List<String> problems, Optional<String> holder) {
  public MachineGpus {
    devices = List.copyOf(devices);
    absent = List.copyOf(absent);
    problems = List.copyOf(problems);
  }

  /// Reads the GPUs without changing them. Like any program that uses CUDA, it loads the driver's
  /// module for managed memory, if it is not loaded yet.
  public static MachineGpus look() {
    return GpuDrivers.look(GpuConfig.DEFAULTS);
  }
}
