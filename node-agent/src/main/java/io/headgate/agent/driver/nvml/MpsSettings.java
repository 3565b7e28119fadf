package io.headgate.agent.driver.nvml;

import java.nio.file.Path;
import java.time.Duration;

/// How parts of GPUs are made by NVIDIA's Multi-Process Service.
///
/// @param isWanted whether new ones are; those that an earlier agent made are kept and removed
///   anyway
/// @param control the control program
/// @param directory this agent's own, in which each slice gets one
/// @param patience how long a daemon may take for its start, an answer, or its end
/// @param reserveBytes of each slice: what a process has without having allocated it
/// @param limitsCompute whether a slice's processors are limited to its part too
public record MpsSettings(
    boolean isWanted,
    Path control,
    Path directory,
    Duration patience,
    long reserveBytes,
    boolean limitsCompute) {
  /// For an agent that makes none.
  public static final MpsSettings OFF =
      new MpsSettings(
          false,
          Path.of("/usr/bin/nvidia-cuda-mps-control"),
          Path.of("/run/headgate-mps/none"),
          Duration.ofSeconds(10),
          0,
          false);
}
