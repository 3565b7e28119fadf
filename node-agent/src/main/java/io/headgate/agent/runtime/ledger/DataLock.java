package io.headgate.agent.runtime.ledger;

import io.headgate.agent.process.DurableFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Keeps a data directory to one agent at a time.
final class DataLock implements AutoCloseable {
  /// Data directories in use by agents of this JVM: the file lock only keeps other processes out.
  private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

  private final Path data;
  private final FileChannel file;

  private DataLock(Path data, FileChannel file) {
    this.data = data;
    this.file = file;
  }

  /// Takes the directory, which is made if need be.
  static DataLock take(Path data) throws IOException {
    DurableFile.makeDirectory(data);
    // Asked first, because even to open and close the file would give up this process's own lock.
    if (!OPEN.add(data)) {
      throw taken(data);
    }
    try {
      return new DataLock(data, lock(data));
    } catch (IOException | RuntimeException e) {
      OPEN.remove(data);
      throw e;
    }
  }

  private static FileChannel lock(Path data) throws IOException {
    FileChannel channel =
        FileChannel.open(
            data.resolve("agent.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      @Nullable FileLock lock = channel.tryLock();
      if (lock == null) {
        throw taken(data);
      }
      return channel;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static IOException taken(Path data) {
    return new IOException("another agent is running with " + data + "; give this one its own");
  }

  @Override
  public void close() throws IOException {
    try {
      file.close();
    } finally {
      OPEN.remove(data);
    }
  }
}
