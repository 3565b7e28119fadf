package io.headgate.agent.runtime.attempt;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Which files of the machine the jobs without an image see.
///
/// @param ownUsers each job has a user of its own, and sees what is open to all users
/// @param hidden directories whose content jobs do not see
/// @param shared directories that jobs see even below hidden and closed ones
public record VisibleFiles(boolean ownUsers, List<Path> hidden, List<Path> shared) {
  /// Places where a job with mounts of its own finds directories of its own.
  private static final List<Path> OWN_PLACES =
      List.of(Path.of("/tmp"), Path.of("/var/tmp"), Path.of("/dev/shm"));

  public VisibleFiles {
    hidden = List.copyOf(hidden);
    shared = List.copyOf(shared);
  }

  /// The files that jobs with mounts of their own see.
  ///
  /// @param data the agent's directory
  /// @param checkpointRoots with the directories of all jobs
  public static VisibleFiles ofMounts(
      boolean ownUsers, Path data, List<Path> checkpointRoots, List<Path> shared) {
    List<Path> hidden = new ArrayList<>(OWN_PLACES);
    hidden.add(data);
    hidden.addAll(checkpointRoots);
    return new VisibleFiles(ownUsers, hidden, shared);
  }
}
