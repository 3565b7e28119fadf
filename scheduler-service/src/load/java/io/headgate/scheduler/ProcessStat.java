package io.headgate.scheduler;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// What the kernel counts of a process.
///
/// @param cpuSeconds of itself and of its children that have ended
record ProcessStat(long pid, long parent, double cpuSeconds) {
  private static final double TICKS_PER_SECOND = 100;

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

  /// The process and its living children.
  static List<ProcessStat> ofTree(long pid) {
    return ProcessHandle.allProcesses()
        .flatMap(process -> of(process.pid()).stream())
        .filter(stat -> stat.pid() == pid || stat.parent() == pid)
        .toList();
  }
}
