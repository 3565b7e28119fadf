package io.headgate.deploy.e2e;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/// The file system of PostgreSQL's files. Where the test may mount one, it is a file system of its
/// own that the test can fill up.
final class DatabaseDisk {
  /// Much more than PostgreSQL ever stores; the kernel reserves no memory for it in advance.
  private static final String SIZE = "size=2g";

  /// Less than a file of PostgreSQL's write-ahead log, so that soon no such file can grow; more
  /// than the processes write to their text log.
  private static final int LARGEST_FILE_BYTES = 1 << 16;

  private final Path data;
  private final Path directory;
  private final boolean mounted;

  /// @param data of an installation that has not started yet
  DatabaseDisk(Path data) throws IOException, InterruptedException {
    this.data = data;
    this.directory = Files.createDirectories(data.resolve("pg"));
    this.mounted =
        run("mount", "-t", "tmpfs", "-o", SIZE + ",mode=700", "tmpfs", directory.toString());
  }

  /// Whether the test can fill it: mounting needs root and its capabilities.
  boolean isMounted() {
    return mounted;
  }

  /// Leaves no free space.
  void fill() throws IOException, InterruptedException {
    FileStore store = Files.getFileStore(directory);
    // PostgreSQL may take more space between the measurement and the remount.
    boolean full = false;
    while (!full) {
      long usedBytes = store.getTotalSpace() - store.getUnallocatedSpace();
      full = run("mount", "-o", "remount,size=" + usedBytes, directory.toString());
    }
  }

  /// Makes room again.
  void empty() throws IOException, InterruptedException {
    run("mount", "-o", "remount," + SIZE, directory.toString());
  }

  /// From now on each flush of PostgreSQL's log takes 100 ms longer.
  void slow(int port) throws SQLException, IOException {
    set(port, "alter system set commit_delay = 100000", "alter system set commit_siblings = 0");
  }

  /// Ends the delay of flushes.
  void quick(int port) throws SQLException, IOException {
    set(port, "alter system reset commit_delay", "alter system reset commit_siblings");
  }

  /// Keeps these processes from making files larger.
  void fail(List<ProcessHandle> processes) throws IOException, InterruptedException {
    for (ProcessHandle process : processes) {
      // A process that has just ended needs no limit.
      run("prlimit", "--pid=" + process.pid(), "--fsize=" + LARGEST_FILE_BYTES + ":");
    }
  }

  private void set(int port, String... settings) throws SQLException, IOException {
    try (Connection connection = DatabaseCheck.connect(data, port);
        Statement statement = connection.createStatement()) {
      for (String setting : settings) {
        statement.execute(setting);
      }
      statement.execute("select pg_reload_conf()");
    }
  }

  private static boolean run(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor()
        == 0;
  }

  /// Call it once PostgreSQL has ended.
  void unmount() throws IOException, InterruptedException {
    if (mounted) {
      run("umount", directory.toString());
    }
  }
}
