package io.headgate.agent.driver;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// What a job with mounts of its own finds for its slices.
///
/// @param hidden directories that no job sees, but for what is shown
/// @param shown directories that it finds at their place
/// @param sharedMemory its `/dev/shm`; empty: one that nobody else has
public record SliceRooms(List<Path> hidden, List<Path> shown, Optional<Path> sharedMemory) {
  public static final SliceRooms NONE = new SliceRooms(List.of(), List.of(), Optional.empty());

  public SliceRooms {
    hidden = List.copyOf(hidden);
    shown = List.copyOf(shown);
  }
}
