package io.headgate.deploy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Lets at most one `up` work on a data directory. The kernel releases the lock when its holder
/// dies, however it dies, so no cleanup is needed. A note of the holder lies beside the lock.
final class InstanceLock implements AutoCloseable {
  private static final int MAX_NOTE_BYTES = 64 * 1024;

  private final FileChannel channel;
  private final FileLock lock;
  private final Path note;

  private InstanceLock(FileChannel channel, FileLock lock, Path note) {
    this.channel = channel;
    this.lock = lock;
    this.note = note;
  }

  /// Takes the lock of a directory.
  ///
  /// @return empty when another process (or this one) holds it
  static Optional<InstanceLock> tryTake(Path directory) {
    Path note = directory.resolve("up.note");
    try {
      FileChannel channel =
          FileChannel.open(
              directory.resolve("up.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      @Nullable FileLock lock = lockOf(channel);
      if (lock == null) {
        channel.close();
        return Optional.empty();
      }
      Files.deleteIfExists(note);
      return Optional.of(new InstanceLock(channel, lock, note));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot lock " + directory + ": " + e.getMessage(), e);
    }
  }

  /// The holder's note about its installation; empty while the holder is still starting.
  static Optional<String> noteOfHolder(Path directory) {
    Path note = directory.resolve("up.note");
    try {
      if (!Files.isRegularFile(note) || Files.size(note) > MAX_NOTE_BYTES) {
        return Optional.empty();
      }
      return Optional.of(Files.readString(note));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /// Writes the note that a second `up` shows when it finds the lock taken.
  void say(String text) throws IOException {
    Path fresh = note.resolveSibling("up.note.new");
    try (FileChannel out =
        FileChannel.open(
            fresh,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
    }
    Files.move(fresh, note, StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(note);
    lock.release();
    channel.close();
  }

  private static @Nullable FileLock lockOf(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      // Another part of this process holds the lock.
      return null;
    }
  }
}
