package io.headgate.agent.runtime.attempt;

import java.nio.file.Path;
import java.util.List;

/// Which files of the machine the jobs without an image see.
///
/// @param ownUsers each job has a user of its own, and sees what is open to all users
/// @param hidden directories whose content jobs do not see
/// @param shared directories that jobs see even below hidden and closed ones
public record VisibleFiles(boolean ownUsers, List<Path> hidden, List<Path> shared) {
  public VisibleFiles {
    hidden = List.copyOf(hidden);
    shared = List.copyOf(shared);
  }
}
