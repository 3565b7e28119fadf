package io.headgate.agent.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The cgroup v2 directories of attempts, where the machine lets this user make any.
///
/// Where it does not, supervisors find and kill a job's processes by descent.
public final class Cgroups {
  /// As the unit file names the group that the agent itself is in: jobs are beside it, because a
  /// group that has processes of its own cannot share controllers out.
  private static final Path AGENTS_OWN = Path.of("agent");

  private final Optional<Path> parent;
  private final Set<String> controllers;

  private Cgroups(Optional<Path> parent, Set<String> controllers) {
    this.parent = parent;
    this.controllers = Set.copyOf(controllers);
  }

  /// Finds the v2 hierarchy and makes a directory in it for this agent.
  ///
  /// @param name tells this agent's attempts from those of others on the machine
  public static Cgroups discover(String name) {
    try {
      Optional<Path> own = ownDirectory();
      if (own.isEmpty()) {
        return none();
      }
      Path above = own.get().endsWith(AGENTS_OWN) ? own.get().resolveSibling("") : own.get();
      Path parent = above.resolve("headgate-" + name);
      if (!Files.isDirectory(parent)) {
        Files.createDirectory(parent);
      }
      return Files.isWritable(parent.resolve("cgroup.procs"))
          ? new Cgroups(Optional.of(parent), share(List.of(above, parent)))
          : none();
    } catch (IOException _) {
      return none();
    }
  }

  /// Enables the controllers that limit jobs below the last of the directories, and returns the
  /// enabled ones.
  static Set<String> share(List<Path> downwards) throws IOException {
    Set<String> shared = Set.of();
    for (Path directory : downwards) {
      Path file = directory.resolve("cgroup.subtree_control");
      for (String controller : List.of("cpu", "memory", "pids", "dmem")) {
        try {
          Files.writeString(file, "+" + controller, StandardOpenOption.WRITE);
        } catch (IOException _) {
          // It is not there, or not this agent's to share.
        }
      }
      shared = Set.of(Files.readString(file).strip().split(" ", -1));
    }
    return shared;
  }

  /// The cgroups of a machine that lets this user make none.
  public static Cgroups none() {
    return new Cgroups(Optional.empty(), Set.of());
  }

  /// The controllers of version 2 that each attempt's directory has.
  public Set<String> controllers() {
    return controllers;
  }

  public boolean areAvailable() {
    return parent.isPresent();
  }

  /// Makes the directory of an attempt, or finds it; empty where there are no cgroups.
  public Optional<Path> make(String attempt) {
    if (parent.isEmpty()) {
      return Optional.empty();
    }
    Path directory = parent.get().resolve(attempt);
    try {
      if (!Files.isDirectory(directory)) {
        Files.createDirectory(directory);
      }
      return Optional.of(directory);
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  /// The directory that an attempt has or may have had. It follows from the attempt's name alone: a
  /// record within a job's reach could name the cgroup of another attempt.
  public Optional<Path> of(String attempt) {
    return parent.map(directory -> directory.resolve(attempt));
  }

  /// Kills all of the cgroup, then removes it if nothing is left in it.
  public static void killAndRemove(Path cgroup) throws IOException {
    if (!Files.isDirectory(cgroup)) {
      return;
    }
    kill(cgroup);
    removeTree(cgroup);
  }

  /// Kills all of the cgroup and says whether anything was in it.
  static boolean kill(Path cgroup) throws IOException {
    Path switchFile = cgroup.resolve("cgroup.kill");
    boolean atOnce = Files.exists(switchFile);
    if (atOnce) {
      Files.writeString(switchFile, "1", StandardOpenOption.WRITE);
    }
    return killEach(cgroup, !atOnce);
  }

  /// One by one, for kernels before 5.14; what forks meanwhile is met at the next repetition.
  private static boolean killEach(Path cgroup, boolean killing) throws IOException {
    boolean found = false;
    for (String pid : Files.readAllLines(cgroup.resolve("cgroup.procs"))) {
      found = true;
      if (killing) {
        killMember(cgroup, pid);
      }
    }
    try (var below = Files.newDirectoryStream(cgroup, Files::isDirectory)) {
      for (Path child : below) {
        found |= killEach(child, killing);
      }
    }
    return found;
  }

  private static void killMember(Path cgroup, String pid) throws IOException {
    // The handle first: once it is known that its process is in here, the number may be reused.
    Optional<ProcessHandle> process = ProcessHandle.of(Long.parseLong(pid));
    if (process.isPresent() && Files.readAllLines(cgroup.resolve("cgroup.procs")).contains(pid)) {
      process.get().destroyForcibly();
    }
  }

  /// Removes the agent's own directory if no attempt is left in it.
  public void removeIfEmpty() {
    parent.ifPresent(directory -> {
      try {
        Files.deleteIfExists(directory);
      } catch (IOException _) {
        // Attempts are left, and so the directory has to stay for them.
      }
    });
  }

  private static void removeTree(Path cgroup) throws IOException {
    try (var below = Files.newDirectoryStream(cgroup, Files::isDirectory)) {
      for (Path child : below) {
        removeTree(child);
      }
    }
    Files.deleteIfExists(cgroup);
  }

  private static Optional<Path> ownDirectory() throws IOException {
    Optional<Path> mount = Optional.empty();
    for (String line :
        Files.readAllLines(Path.of("/proc/self/mountinfo"), StandardCharsets.UTF_8)) {
      // "36 35 98:0 / /sys/fs/cgroup rw,... - cgroup2 cgroup2 rw": the type follows the hyphen.
      if (line.contains(" - cgroup2 ")) {
        mount = Optional.of(Path.of(line.split(" ", -1)[4]));
      }
    }
    for (String line : Files.readAllLines(Path.of("/proc/self/cgroup"), StandardCharsets.UTF_8)) {
      if (line.startsWith("0::/") && mount.isPresent()) {
        return Optional.of(mount.get().resolve(line.substring("0::/".length())));
      }
    }
    return Optional.empty();
  }
}
