package io.headgate.kit.db;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// What a server wrote about itself into `postmaster.pid`.
record PostmasterFile(long pid, int port) {

  static PostmasterFile parse(List<String> lines) {
    long pid = Long.parseLong(lines.get(0).strip());
    int port = lines.size() > 3 ? Integer.parseInt(lines.get(3).strip()) : 0;
    return new PostmasterFile(pid, port);
  }

  /// Whether the process is a PostgreSQL that works in `data`, and not another process that was
  /// given the same number, nor one that is dead and only not reaped.
  boolean isAlive(Path data) {
    return ProcessHandle.of(pid).map(process -> worksIn(process, data)).orElse(false);
  }

  /// A server or one of its children: they are called postgres and their directory is the data's.
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
