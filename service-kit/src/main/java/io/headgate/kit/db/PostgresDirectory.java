package io.headgate.kit.db;

import io.headgate.kit.config.Secret;
import io.headgate.kit.db.PostgresServer.Durability;
import io.headgate.kit.file.Directories;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// The files of one embedded server: `data` (PostgreSQL's own), `password`, `postgres.log` and
/// `lock`. The process that uses the directory holds the lock during its whole life.
final class PostgresDirectory implements AutoCloseable {
  private static final int LOG_TAIL_BYTES = 4096;
  private static final String INCLUDE = "include_if_exists = 'headgate.conf'";

  private final Path path;
  private final FileChannel lock;

  private PostgresDirectory(Path path, FileChannel lock) {
    this.path = path;
    this.lock = lock;
  }

  static PostgresDirectory lock(Path path) {
    try {
      Path absolute = path.toAbsolutePath().normalize();
      if (!Files.isDirectory(absolute)) {
        Files.createDirectories(
            absolute,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      }
      FileChannel channel =
          FileChannel.open(
              absolute.resolve("lock"),
              StandardOpenOption.CREATE,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE);
      if (!acquired(channel)) {
        String holder = read(channel);
        channel.close();
        throw new IllegalStateException(
            absolute + " is in use" + (holder.isEmpty() ? "" : " by process " + holder));
      }
      channel.truncate(0);
      channel.write(StandardCharsets.US_ASCII.encode("" + ProcessHandle.current().pid()), 0);
      return new PostgresDirectory(absolute, channel);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot use " + path, e);
    }
  }

  private static boolean acquired(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  private static String read(FileChannel channel) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(20);
    channel.read(buffer, 0);
    return StandardCharsets.US_ASCII.decode(buffer.flip()).toString();
  }

  Path data() {
    return path.resolve("data");
  }

  Path log() {
    return path.resolve("postgres.log");
  }

  Path passwordFile() {
    return path.resolve("password");
  }

  boolean isInitialised() {
    return Files.exists(data().resolve("PG_VERSION"));
  }

  /// The superuser's password, created by the first call.
  Secret password() {
    try {
      if (!Files.exists(passwordFile())) {
        Path partial = path.resolve("password.new");
        Files.deleteIfExists(partial);
        Files.createFile(
            partial,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(partial, PostgresAdmin.randomPassword().reveal() + "\n");
        Files.move(partial, passwordFile(), StandardCopyOption.ATOMIC_MOVE);
      }
      return Secret.of(Files.readString(passwordFile()).strip());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot keep a password in " + path, e);
    }
  }

  void requireVersion(PostgresCommand command) {
    if (!isInitialised()) {
      return;
    }
    try {
      String major = Files.readString(data().resolve("PG_VERSION")).strip();
      String ours = command.run("postgres", List.of("--version")).output();
      if (!ours.contains(" " + major + ".")) {
        throw new IllegalStateException(
            data()
                + " was written by PostgreSQL "
                + major
                + ", this is "
                + ours
                + ": move the data with pg_dump, or start with another directory");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Path freshData() {
    Path fresh = path.resolve("data.new");
    try {
      Directories.delete(fresh);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return fresh;
  }

  void adoptFreshData(Path fresh) {
    try {
      Files.writeString(
          fresh.resolve("postgresql.conf"), "\n" + INCLUDE + "\n", StandardOpenOption.APPEND);
      Files.move(fresh, data(), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void writeSettings(int port, Durability durability) {
    String safe = durability == Durability.FULL ? "on" : "off";
    String settings =
        """
        # Written at every start.
        listen_addresses = '127.0.0.1'
        unix_socket_directories = ''
        port = %d
        fsync = %s
        synchronous_commit = %s
        full_page_writes = %s
        password_encryption = 'scram-sha-256'
        max_connections = 200
        timezone = 'UTC'
        log_timezone = 'UTC'
        log_min_messages = warning
        """
            .formatted(port, safe, safe, safe);
    try {
      Files.writeString(data().resolve("headgate.conf"), settings);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Nullable PostmasterFile postmaster() {
    try {
      return PostmasterFile.parse(Files.readAllLines(data().resolve("postmaster.pid")));
    } catch (NoSuchFileException e) {
      return null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (NumberFormatException | IndexOutOfBoundsException e) {
      // The file is incomplete because a server is just starting or dying; PostgreSQL itself
      // decides then.
      return null;
    }
  }

  /// Removes the pid file of a dead server: if another process got the same number, PostgreSQL
  /// would take it for a running server. Children of the server that briefly outlive it still use
  /// the data, so this waits for them first.
  void clearStalePostmaster(PostmasterFile left) {
    List<ProcessHandle> children =
        ProcessHandle.allProcesses()
            .filter(process -> PostmasterFile.worksIn(process, data()))
            .toList();
    for (ProcessHandle child : children) {
      if (!awaitEnd(child)) {
        throw new IllegalStateException(
            "process " + child.pid() + " of a dead PostgreSQL still uses " + data());
      }
    }
    boolean numberReused = ProcessHandle.of(left.pid()).isPresent();
    try {
      if (numberReused) {
        Files.deleteIfExists(data().resolve("postmaster.pid"));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean awaitEnd(ProcessHandle child) {
    try {
      child.onExit().get(10, TimeUnit.SECONDS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException | TimeoutException e) {
      return !child.isAlive();
    }
  }

  void rotateLog(long maxBytes) {
    try {
      if (Files.exists(log()) && Files.size(log()) > maxBytes) {
        Files.move(log(), path.resolve("postgres.log.1"), StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String logTail() {
    try (FileChannel channel = FileChannel.open(log(), StandardOpenOption.READ)) {
      ByteBuffer buffer = ByteBuffer.allocate(LOG_TAIL_BYTES);
      channel.read(buffer, Math.max(0, channel.size() - LOG_TAIL_BYTES));
      return StandardCharsets.UTF_8.decode(buffer.flip()).toString();
    } catch (IOException e) {
      return "";
    }
  }

  @Override
  public void close() {
    try {
      lock.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void delete() {
    try {
      Directories.delete(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
