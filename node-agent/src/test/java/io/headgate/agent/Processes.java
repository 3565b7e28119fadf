package io.headgate.agent;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Processes of the machine as the kernel shows them, child processes of this JVM or not.
public final class Processes {
  private Processes() {}

  /// The processes of the job's program and all that it has started, parents first, by their
  /// numbers outside of its namespaces.
  ///
  /// @param mark an entry of its environment that no other job has
  public static List<Long> ofJob(String mark) {
    List<Long> found =
        new ArrayList<>(
            ProcessHandle.allProcesses()
                .filter(process -> environment(process.pid()).contains(mark))
                .map(ProcessHandle::pid)
                .toList());
    found.sort(Comparator.comparing(pid -> depth(pid)));
    return found;
  }

  /// The processes with an entry of the environment that begins so.
  public static List<Long> withEntry(String beginning) {
    return ProcessHandle.allProcesses()
        .map(ProcessHandle::pid)
        .filter(pid -> environment(pid).stream().anyMatch(entry -> entry.startsWith(beginning)))
        .toList();
  }

  /// Whether a process has these words, one after the other, in its command line.
  public static boolean isRunning(String... words) {
    return ProcessHandle.allProcesses()
        .anyMatch(process -> read(process.pid(), "cmdline").contains(String.join("\0", words)));
  }

  private static List<String> environment(long pid) {
    return List.of(read(pid, "environ").split("\0", -1));
  }

  private static String read(long pid, String file) {
    try {
      return new String(
          Files.readAllBytes(Path.of("/proc/" + pid, file)), StandardCharsets.ISO_8859_1);
    } catch (IOException _) {
      return "";
    }
  }

  private static long depth(long pid) {
    return Stream.iterate(
            ProcessHandle.of(pid),
            Optional::isPresent,
            child -> child.flatMap(ProcessHandle::parent))
        .count();
  }

  /// Whether it runs: neither gone, nor dead and only not yet taken note of.
  public static boolean isAlive(long pid) {
    try {
      return !Files.readString(Path.of("/proc/" + pid + "/status")).contains("State:\tZ");
    } catch (IOException _) {
      // Not there, or gone while it was read.
      return false;
    }
  }
}
