package io.headgate.pool.core.node;

import java.util.List;

/// Which files of a machine its jobs see.
///
/// @param view equal for processes that see the same files; empty: nothing is known
/// @param ownUsers each job has a user of its own
/// @param hidden directories whose content jobs do not see
/// @param shared directories that jobs see even below hidden and closed ones
public record JobFiles(String view, boolean ownUsers, List<String> hidden, List<String> shared) {
  public static final JobFiles UNKNOWN = new JobFiles("", false, List.of(), List.of());

  public JobFiles {
    hidden = List.copyOf(hidden);
    shared = List.copyOf(shared);
  }

  boolean isKnown() {
    return !view.isEmpty();
  }
}
