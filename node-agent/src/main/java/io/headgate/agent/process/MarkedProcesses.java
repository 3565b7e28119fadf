package io.headgate.agent.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;

/// Processes that are known by their environment, which children inherit however often they fork.
/// It identifies a process even if its pid belonged to another process before.
public final class MarkedProcesses {
  private MarkedProcesses() {}

  /// The living processes of this machine that have all of the entries (`NAME=value`), as far as
  /// this process may look.
  public static List<ProcessHandle> find(List<String> marks) throws IOException {
    return find(environment -> environment.containsAll(marks));
  }

  /// The processes that have any of the entries.
  public static List<ProcessHandle> findAny(List<String> marks) throws IOException {
    return find(environment -> !Collections.disjoint(environment, marks));
  }

  /// The processes whose environment the condition admits.
  static List<ProcessHandle> find(Predicate<List<String>> wanted) throws IOException {
    List<ProcessHandle> marked = new ArrayList<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path process : processes) {
        // The handle is taken first: it stays bound to this process even if its number is reused.
        ProcessHandle.of(Long.parseLong(process.getFileName().toString()))
            .filter(handle -> wanted.test(environment(handle.pid())) && handle.isAlive())
            .ifPresent(marked::add);
      }
    }
    return marked;
  }

  /// Whether the process with this number is that user.
  public static boolean isUser(long pid, int user) {
    try {
      return Files.readAllLines(Path.of("/proc", Long.toString(pid), "status")).stream()
          .anyMatch(line -> line.startsWith("Uid:\t" + user + "\t"));
    } catch (IOException _) {
      return false;
    }
  }

  /// Whether the process with this number has all of the entries.
  public static boolean isMarked(long pid, List<String> marks) {
    return environment(pid).containsAll(marks);
  }

  private static List<String> environment(long pid) {
    try {
      byte[] environment = Files.readAllBytes(Path.of("/proc", Long.toString(pid), "environ"));
      return List.of(new String(environment, StandardCharsets.ISO_8859_1).split("\0", -1));
    } catch (IOException _) {
      // Gone meanwhile, or another user's, which none of ours can be.
      return List.of();
    }
  }
}
