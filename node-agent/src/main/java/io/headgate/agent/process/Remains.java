package io.headgate.agent.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
    for (ProcessHandle process : marked()) {
      found |= process.destroyForcibly();
    }
    return found;
  }

  private List<ProcessHandle> marked() throws IOException {
    List<ProcessHandle> marked = new ArrayList<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path process : processes) {
        // The handle first: it stands for the process that is looked at, also if its number is
        // reused.
        ProcessHandle.of(Long.parseLong(process.getFileName().toString()))
            .filter(handle -> isMarked(process) && handle.isAlive())
            .ifPresent(marked::add);
      }
    }
    return marked;
  }

  private boolean isMarked(Path process) {
    try {
      byte[] environment = Files.readAllBytes(process.resolve("environ"));
      List<String> entries =
          List.of(new String(environment, StandardCharsets.ISO_8859_1).split("\0", -1));
      return entries.containsAll(marks);
    } catch (IOException _) {
      // Gone meanwhile, or another user's, which a job of ours cannot be.
      return false;
    }
  }
}
