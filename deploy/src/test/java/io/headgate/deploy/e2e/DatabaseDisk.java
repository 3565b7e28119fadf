package io.headgate.deploy.e2e;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/// What PostgreSQL's files lie on: where the test may mount one, a file system of its own, so that
/// it can be full.
final class DatabaseDisk {
  /// Much more than it ever holds; nothing is taken for it before.
  private static final String SIZE = "size=2g";

  /// Less than a file of its log, so that soon nothing can be added to one; more than what its
  /// processes say.
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

  /// Whether it can be filled: mounting needs root and its rights.
  boolean isMounted() {
    return mounted;
  }

  /// Nothing is free any more.
  void fill() throws IOException, InterruptedException {
    FileStore store = Files.getFileStore(directory);
    // Between looking and telling, more may be taken.
    boolean full = false;
    while (!full) {
      long usedBytes = store.getTotalSpace() - store.getUnallocatedSpace();
      full = run("mount", "-o", "remount,size=" + usedBytes, directory.toString());
    }
  }

  /// There is room again.
  void empty() throws IOException, InterruptedException {
    run("mount", "-o", "remount," + SIZE, directory.toString());
  }

  /// From now on it takes 100 ms longer to flush PostgreSQL's log.
  void slow(int port) throws SQLException, IOException {
    set(port, "alter system set commit_delay = 100000", "alter system set commit_siblings = 0");
  }

  /// It is as quick again as it was.
  void quick(int port) throws SQLException, IOException {
    set(port, "alter system reset commit_delay", "alter system reset commit_siblings");
  }

  /// These processes cannot make files larger any more.
  void fail(List<ProcessHandle> processes) throws IOException, InterruptedException {
    for (ProcessHandle process : processes) {
      // One that has just ended needs no limit.
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

  /// Nobody uses it any more.
  void unmount() throws IOException, InterruptedException {
    if (mounted) {
      run("umount", directory.toString());
    }
  }
}
