package io.headgate.scheduler;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The kernel's counters of a process.
///
/// @param cpuSeconds of itself and of its children that have ended
record ProcessStat(long pid, long parent, double cpuSeconds) {
  private static final double TICKS_PER_SECOND = 100;
  private static final long KIB = 1024;
  private static final Pattern USED = Pattern.compile("used (\\d+)K");

  /// Empty: it has ended.
  static Optional<ProcessStat> of(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      // The name before it may hold anything.
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
      long ticks = 0;
      for (int i = 11; i <= 14; i++) {
        ticks += Long.parseLong(fields[i]);
      }
      return Optional.of(new ProcessStat(pid, Long.parseLong(fields[1]), ticks / TICKS_PER_SECOND));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /// Processor seconds of each thread, by its name and number.
  static Map<String, Double> threadSeconds(long pid) {
    Map<String, Double> seconds = new HashMap<>();
    try (var threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
      for (Path thread : threads.toList()) {
        String stat = Files.readString(thread.resolve("stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        String name = stat.substring(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
        seconds.put(
            name + " " + thread.getFileName(),
            (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND);
      }
    } catch (IOException e) {
      throw new IllegalStateException("the process has ended", e);
    }
    return seconds;
  }

  /// The most memory that the process ever had.
  static long mostResidentBytes(long pid) {
    try (var lines = Files.lines(Path.of("/proc", Long.toString(pid), "status"))) {
      String most = lines.filter(line -> line.startsWith("VmHWM")).findFirst().orElseThrow();
      return Long.parseLong(most.replaceAll("\\D", "")) * KIB;
    } catch (IOException e) {
      throw new IllegalStateException("the process has ended", e);
    }
  }

  /// The heap that a Java process uses after a garbage collection.
  static long heapBytes(long pid) {
    ask(pid, "GC.run");
    Matcher used = USED.matcher(ask(pid, "GC.heap_info"));
    if (!used.find()) {
      throw new IllegalStateException("the process does not tell of its heap");
    }
    return Long.parseLong(used.group(1)) * KIB;
  }

  private static String ask(long pid, String command) {
    try {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                  Long.toString(pid),
                  command)
              .redirectErrorStream(true)
              .start();
      return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /// The process and its living children.
  static List<ProcessStat> ofTree(long pid) {
    return ProcessHandle.allProcesses()
        .flatMap(process -> of(process.pid()).stream())
        .filter(stat -> stat.pid() == pid || stat.parent() == pid)
        .toList();
  }
}
