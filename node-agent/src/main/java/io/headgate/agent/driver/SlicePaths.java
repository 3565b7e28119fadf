package io.headgate.agent.driver;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// The paths that a job with mounts of its own gets for its slices.
///
/// @param hidden directories that no job sees, except for shown ones below
/// @param shown directories visible at their place
/// @param sharedMemory its `/dev/shm`; empty: a private one
public record SlicePaths(List<Path> hidden, List<Path> shown, Optional<Path> sharedMemory) {
  public static final SlicePaths NONE = new SlicePaths(List.of(), List.of(), Optional.empty());

  public SlicePaths {
    hidden = List.copyOf(hidden);
    shown = List.copyOf(shown);
  }
}
