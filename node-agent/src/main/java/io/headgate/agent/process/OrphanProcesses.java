package io.headgate.agent.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// The processes that a job leaves behind when its supervisor is killed, and that run unwatched.
///
/// The kernel kills the program itself with its supervisor. Processes that the program has started
/// are found by its cgroup, or by the attempt's names in their environment. A process inherits
/// these however often it forks.
public final class OrphanProcesses {
  private final Optional<Path> cgroup;
  private final Predicate<List<String>> marked;

  /// The processes that may be left of one attempt.
  ///
  /// @param cgroup that it may have had
  /// @param marked whether entries of an environment (`HEADGATE_JOB=…`) name the attempt
  public OrphanProcesses(Optional<Path> cgroup, Predicate<List<String>> marked) {
    this.cgroup = cgroup;
    this.marked = marked;
  }

  /// Kills the processes found and says whether there were any; repeated until there are none.
  public boolean kill() throws IOException {
    boolean found = false;
    if (cgroup.isPresent() && Files.isDirectory(cgroup.get())) {
      found = Cgroups.kill(cgroup.get());
      if (!found) {
        Cgroups.killAndRemove(cgroup.get());
      }
    }
    for (ProcessHandle process : MarkedProcesses.find(marked)) {
      found |= process.destroyForcibly();
    }
    return found;
  }
}
