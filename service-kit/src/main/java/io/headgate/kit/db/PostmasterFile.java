package io.headgate.kit.db;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// The contents of the server's `postmaster.pid`.
record PostmasterFile(long pid, int port) {

  static PostmasterFile parse(List<String> lines) {
    long pid = Long.parseLong(lines.get(0).strip());
    int port = lines.size() > 3 ? Integer.parseInt(lines.get(3).strip()) : 0;
    return new PostmasterFile(pid, port);
  }

  /// Whether the process is a PostgreSQL that works in `data`. The number may belong to another
  /// process by now, or to a zombie.
  boolean isAlive(Path data) {
    return ProcessHandle.of(pid).map(process -> worksIn(process, data)).orElse(false);
  }

  /// Whether the process is a server of this directory or its child: named postgres, with the data
  /// as working directory.
  static boolean worksIn(ProcessHandle process, Path data) {
    boolean postgres =
        process.info().command().filter(command -> command.endsWith("/postgres")).isPresent();
    if (!postgres) {
      return false;
    }
    Path directory = Path.of("/proc", Long.toString(process.pid()), "cwd");
    try {
      return !Files.exists(Path.of("/proc/self"))
          || Files.readSymbolicLink(directory).equals(data.toRealPath());
    } catch (IOException e) {
      return false;
    }
  }
}
