package io.headgate.agent.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// The limits of CPU, memory and processes that cgroups enforce for a job. Version 2 enforces them
/// where this agent was given the controllers, and version 1 where they are mounted so. Elsewhere
/// they are not enforced.
public final class CgroupLimits {
  /// A controller.
  public enum Controller {
    CPU,
    MEMORY,
    PIDS,
    /// Version 1 only; version 2 has programs in its place.
    DEVICES
  }

  private static final int PERIOD_MICROS = 100_000;

  private final Cgroups unified;
  private final Map<Controller, Path> parents;

  /// The limits of a job.
  ///
  /// @param cpuMillis thousandths of a core; 0: not limited
  /// @param memoryBytes 0: not limited
  /// @param processes and threads, together; 0: not limited
  public record Wanted(long cpuMillis, long memoryBytes, long processes) {}

  private CgroupLimits(Cgroups unified, Map<Controller, Path> parents) {
    this.unified = unified;
    this.parents = parents;
  }

  /// Finds the present hierarchies, and makes this agent's directories in the needed hierarchies of
  /// version 1.
  ///
  /// @param name tells this agent's attempts from those of others on the machine
  /// @param unified where version 2 is
  public static CgroupLimits discover(String name, Cgroups unified) {
    Map<Controller, Path> parents = new EnumMap<>(Controller.class);
    for (Controller controller : Controller.values()) {
      if (!unified.controllers().contains(word(controller))) {
        ownV1Directory(controller)
            .map(own -> own.resolve("headgate-" + name))
            .filter(CgroupLimits::isMade)
            .ifPresent(parent -> parents.put(controller, parent));
      }
    }
    return new CgroupLimits(unified, parents);
  }

  private static boolean isMade(Path parent) {
    try {
      Files.createDirectories(parent);
      return Files.isWritable(parent.resolve("cgroup.procs"));
    } catch (IOException _) {
      return false;
    }
  }

  /// The version of cgroups by which the machine does this; empty: it does not.
  public Optional<Integer> version(Controller controller) {
    if (unified.controllers().contains(word(controller))) {
      return Optional.of(2);
    }
    return parents.containsKey(controller) ? Optional.of(1) : Optional.empty();
  }

  /// Makes the directories of an attempt, or finds them, with its limits.
  ///
  /// @return those of version 1, which it is to join
  public List<Path> make(String attempt, Wanted wanted) throws IOException {
    Optional<Path> directory = unified.make(attempt);
    if (directory.isPresent()) {
      limitUnified(directory.get(), wanted);
    }
    List<Path> made = new ArrayList<>();
    for (Map.Entry<Controller, Path> parent : parents.entrySet()) {
      Path own = parent.getValue().resolve(attempt);
      Files.createDirectories(own);
      limitV1(parent.getKey(), own, wanted);
      if (!made.contains(own)) {
        made.add(own);
      }
    }
    return made;
  }

  /// The directory of the attempt that can fence its devices.
  public Optional<Path> deviceGroup(String attempt) {
    return Optional.ofNullable(parents.get(Controller.DEVICES))
        .map(parent -> parent.resolve(attempt));
  }

  /// Removes the directories that [#make] made. [Cgroups] removes those of version 2.
  ///
  /// @throws IOException when something is left in it
  public void remove(String attempt) throws IOException {
    for (Path parent : parents.values()) {
      Files.deleteIfExists(parent.resolve(attempt));
    }
  }

  /// Removes the agent's own directories if no attempt is left in them.
  public void removeIfEmpty() {
    for (Path parent : parents.values()) {
      try {
        Files.deleteIfExists(parent);
      } catch (IOException _) {
        // Attempts are left, and so the directory has to stay for them.
      }
    }
  }

  private void limitUnified(Path directory, Wanted wanted) throws IOException {
    if (wanted.memoryBytes() > 0 && unified.controllers().contains("memory")) {
      write(directory, "memory.max", wanted.memoryBytes());
      // Swapped memory would not count, so swap is denied; a kernel without swap has no such file.
      writeIfThere(directory, "memory.swap.max", 0);
    }
    if (wanted.cpuMillis() > 0 && unified.controllers().contains("cpu")) {
      write(directory, "cpu.max", quotaMicros(wanted) + " " + PERIOD_MICROS);
    }
    if (wanted.processes() > 0 && unified.controllers().contains("pids")) {
      write(directory, "pids.max", wanted.processes());
    }
  }

  private static void limitV1(Controller controller, Path directory, Wanted wanted)
      throws IOException {
    switch (controller) {
      case CPU -> {
        if (wanted.cpuMillis() > 0) {
          write(directory, "cpu.cfs_period_us", PERIOD_MICROS);
          write(directory, "cpu.cfs_quota_us", quotaMicros(wanted));
        }
      }
      case MEMORY -> {
        if (wanted.memoryBytes() > 0) {
          // Repeated with another size, memory and swap together would be less than memory alone.
          writeIfThere(directory, "memory.memsw.limit_in_bytes", -1);
          write(directory, "memory.limit_in_bytes", wanted.memoryBytes());
          writeIfThere(directory, "memory.memsw.limit_in_bytes", wanted.memoryBytes());
        }
      }
      case PIDS -> {
        if (wanted.processes() > 0) {
          write(directory, "pids.max", wanted.processes());
        }
      }
      case DEVICES -> {
        // The supervisor writes the list.
      }
    }
  }

  private static long quotaMicros(Wanted wanted) {
    // A quota below a millisecond is refused.
    return Math.max(1_000, wanted.cpuMillis() * (PERIOD_MICROS / 1_000));
  }

  private static void write(Path directory, String file, Object value) throws IOException {
    Files.writeString(directory.resolve(file), value.toString(), StandardOpenOption.WRITE);
  }

  private static void writeIfThere(Path directory, String file, long value) throws IOException {
    if (Files.exists(directory.resolve(file))) {
      write(directory, file, value);
    }
  }

  private static String word(Controller controller) {
    return controller.name().toLowerCase(Locale.ROOT);
  }

  private static Optional<Path> ownV1Directory(Controller controller) {
    try {
      Optional<V1Mount> mount = V1Mount.of(word(controller));
      if (mount.isEmpty()) {
        return Optional.empty();
      }
      // "8:pids:/": number, controllers, path.
      for (String line : Files.readAllLines(Path.of("/proc/self/cgroup"), StandardCharsets.UTF_8)) {
        String[] fields = line.split(":", 3);
        if (Arrays.asList(fields[1].split(",", -1)).contains(word(controller))) {
          return Optional.of(mount.get().at(Path.of(fields[2])));
        }
      }
    } catch (IOException _) {
      // An unreadable file counts as absent.
    }
    return Optional.empty();
  }

  /// Where a hierarchy is mounted.
  ///
  /// @param root the part of the hierarchy that is visible there, `/` outside containers
  private record V1Mount(Path root, Path point) {
    static Optional<V1Mount> of(String controller) throws IOException {
      for (String line :
          Files.readAllLines(Path.of("/proc/self/mountinfo"), StandardCharsets.UTF_8)) {
        // "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu"
        String[] words = line.split(" ", -1);
        if (line.contains(" - cgroup ")
            && Arrays.asList(words[words.length - 1].split(",", -1)).contains(controller)) {
          return Optional.of(new V1Mount(Path.of(words[3]), Path.of(words[4])));
        }
      }
      return Optional.empty();
    }

    Path at(Path own) {
      Path below = own.startsWith(root) ? root.relativize(own) : Path.of("");
      return point.resolve(below.toString()).normalize();
    }
  }
}
