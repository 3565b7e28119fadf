package io.headgate.agent.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// What a job leaves behind when its supervisor was killed: processes that nobody watches any more.
///
/// The kernel kills the program itself with its supervisor. What that has started is found by its
/// cgroup, or by the attempt's name in its environment, which a process inherits however often it
/// forks.
public final class Remains {
  private final Optional<Path> cgroup;
  private final List<String> marks;

  /// What may be left of one attempt.
  ///
  /// @param cgroup that it may have had
  /// @param marks entries of the environment that together name the attempt (`HEADGATE_JOB=…`)
  public Remains(Optional<Path> cgroup, List<String> marks) {
    this.cgroup = cgroup;
    this.marks = List.copyOf(marks);
  }

  /// Kills what is found and says whether anything was; repeated until nothing is.
  public boolean kill() throws IOException {
    boolean found = false;
    if (cgroup.isPresent() && Files.isDirectory(cgroup.get())) {
      found = Cgroups.kill(cgroup.get());
      if (!found) {
        Cgroups.killAndRemove(cgroup.get());
      }
    }
    for (ProcessHandle process : MarkedProcesses.find(marks)) {
      found |= process.destroyForcibly();
    }
    return found;
  }
}
