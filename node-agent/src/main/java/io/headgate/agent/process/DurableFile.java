package io.headgate.agent.process;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/// Files that are whole or absent after a crash at any moment, and as a rule readable by their
/// owner only.
public final class DurableFile {
  static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY_FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final FileAttribute<Set<PosixFilePermission>> READABLE_FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--"));
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY_DIRECTORY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private DurableFile() {}

  /// Replaces the file: afterwards a crash, even of the machine, leaves the new content.
  public static void replace(Path file, byte[] content) throws IOException {
    replace(file, content, OWNER_ONLY_FILE);
  }

  static void replace(Path file, byte[] content, FileAttribute<?> permissions) throws IOException {
    replace(file, content, permissions, true);
    syncDirectory(parentOf(file));
  }

  /// The same for a file that several processes may replace at once: one of their contents remains.
  /// A crash may leave a small file with a random name beside it.
  public static void replaceUnlocked(Path file, byte[] content) throws IOException {
    Path fresh =
        Files.createTempFile(parentOf(file), file.getFileName() + ".", ".new", OWNER_ONLY_FILE);
    try {
      try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
        fill(channel, content, true);
      }
      move(fresh, file);
    } catch (IOException e) {
      Files.deleteIfExists(fresh);
      throw e;
    }
    syncDirectory(parentOf(file));
  }

  /// Renames the file, in place of another one if there is one: afterwards a crash, even of the
  /// machine, leaves the new name.
  public static void rename(Path from, Path to) throws IOException {
    move(from, to);
    syncDirectory(parentOf(to));
  }

  /// Replaces the file as a whole for every reader, but without waiting for the disk.
  public static void replaceVolatile(Path file, byte[] content) throws IOException {
    replace(file, content, OWNER_ONLY_FILE, false);
  }

  /// The same for a file that others read.
  public static void replaceReadable(Path file, byte[] content) throws IOException {
    replace(file, content, READABLE_FILE, false);
  }

  /// Makes an empty file that all may write to, if it is not there.
  static void makeShared(Path file) throws IOException {
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      Files.createFile(file, OWNER_ONLY_FILE);
    }
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
  }

  /// Makes the directory if it is not there, and its entry durable. Another process may make it at
  /// the same time.
  public static void makeDirectory(Path directory) throws IOException {
    if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try {
      Files.createDirectory(directory, OWNER_ONLY_DIRECTORY);
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
        throw e;
      }
    }
    syncDirectory(parentOf(directory));
  }

  static void syncDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private static void replace(
      Path file, byte[] content, FileAttribute<?> permissions, boolean durable) throws IOException {
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    Files.deleteIfExists(fresh);
    try (FileChannel channel =
        FileChannel.open(
            fresh, Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW), permissions)) {
      fill(channel, content, durable);
    }
    move(fresh, file);
  }

  private static void fill(FileChannel channel, byte[] content, boolean durable)
      throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(content);
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
    if (durable) {
      channel.force(true);
    }
  }

  private static void move(Path fresh, Path file) throws IOException {
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private static Path parentOf(Path file) {
    Path parent = file.toAbsolutePath().getParent();
    if (parent == null) {
      throw new IllegalArgumentException("no directory above " + file);
    }
    return parent;
  }
}
