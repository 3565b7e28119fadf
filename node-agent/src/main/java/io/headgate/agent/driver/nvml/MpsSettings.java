package io.headgate.agent.driver.nvml;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// How parts of GPUs are made by NVIDIA's Multi-Process Service.
///
/// @param protocols in which new slices may be made, the preferred one first; none: no new slices,
///   but slices of an earlier agent are kept and removed anyway
/// @param control the control program
/// @param directory this agent's own, in which each slice gets one
/// @param patience how long a daemon may take for its start, an answer, or its end
/// @param reserveBytes of each slice: memory that a process uses without allocating it
/// @param limitsCompute whether a slice's processors are limited to its part too
public record MpsSettings(
    List<MpsProtocol> protocols,
    Path control,
    Path directory,
    Duration patience,
    long reserveBytes,
    boolean limitsCompute) {
  public MpsSettings {
    protocols = List.copyOf(protocols);
  }

  /// The settings of an agent that makes no MPS slices.
  public static final MpsSettings OFF =
      new MpsSettings(
          List.of(),
          Path.of("/usr/bin/nvidia-cuda-mps-control"),
          Path.of("/run/headgate-mps/none"),
          Duration.ofSeconds(10),
          0,
          false);
}
