package io.headgate.kit.file;

import io.headgate.kit.lifecycle.CannotStartException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/// A file that holds one secret and that only its owner may read.
public final class SecretFile {
  private static final Set<PosixFilePermission> OWNER_ONLY =
      EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
  private static final FileAttribute<?> FILE = PosixFilePermissions.asFileAttribute(OWNER_ONLY);
  private static final FileAttribute<?> DIRECTORY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private final Path path;

  public SecretFile(Path path) {
    this.path = path.toAbsolutePath();
  }

  public Path path() {
    return path;
  }

  /// The content of the file; empty if there is none.
  ///
  /// @throws CannotStartException if other users may read it, because it is no secret then
  public Optional<String> read() {
    try {
      if (!Files.exists(path)) {
        return Optional.empty();
      }
      Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path);
      if (!OWNER_ONLY.containsAll(permissions)) {
        throw new CannotStartException(
            path
                + " may be read or written by others ("
                + PosixFilePermissions.toString(permissions)
                + "): its secret may be known; run chmod 600 on it, and replace it if in doubt");
      }
      return Optional.of(Files.readString(path).strip());
    } catch (IOException e) {
      throw cannot("read", e);
    }
  }

  /// Writes the secret and replaces an existing one. It is on disk when the call returns. The file
  /// keeps its owner, so that the command of an administrator takes no file from the service.
  public void write(String secret) {
    try {
      // A link to the file stays a link.
      Path target = Files.exists(path) ? path.toRealPath() : path;
      Path prepared = prepared(directory(target), secret);
      try {
        keepOwner(target, prepared);
        Files.move(
            prepared, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      } finally {
        Files.deleteIfExists(prepared);
      }
      force(directory(target));
    } catch (IOException e) {
      throw cannot("write", e);
    }
  }

  /// Writes the secret unless the file exists; atomic across processes.
  ///
  /// @return the content of the file
  public String writeIfAbsent(String secret) {
    try {
      Path prepared = prepared(directory(path), secret);
      try {
        keepOwner(path, prepared);
        Files.createLink(path, prepared);
      } catch (FileAlreadyExistsException _) {
        // Another process was first; its secret counts.
      } finally {
        Files.delete(prepared);
      }
      force(directory(path));
      return read().orElseThrow();
    } catch (IOException e) {
      throw cannot("write", e);
    }
  }

  private CannotStartException cannot(String what, IOException e) {
    return new CannotStartException(
        "cannot " + what + " the secret in " + path + " (" + e + "): let its owner do so", e);
  }

  /// The file gets its name when its content is on disk, so that it is never incomplete.
  private static Path prepared(Path directory, String secret) throws IOException {
    if (!Files.isDirectory(directory)) {
      Files.createDirectories(directory, DIRECTORY);
    }
    Path prepared = Files.createTempFile(directory, ".secret", "", FILE);
    try (var channel = FileChannel.open(prepared, StandardOpenOption.WRITE)) {
      channel.write(StandardCharsets.UTF_8.encode(secret + "\n"));
      channel.force(true);
    }
    return prepared;
  }

  private static Path directory(Path file) throws IOException {
    Path directory = file.getParent();
    if (directory == null) {
      throw new IOException("not a file: " + file);
    }
    return directory;
  }

  /// Gives the file that is to become `target` the owner of `target`, or else of its directory.
  private static void keepOwner(Path target, Path prepared) throws IOException {
    boolean isReplaced = Files.exists(target);
    PosixFileAttributes wanted = attributes(isReplaced ? target : directory(target));
    PosixFileAttributes present = attributes(prepared);
    if (wanted.owner().equals(present.owner())) {
      return;
    }
    PosixFileAttributeView view =
        Files.getFileAttributeView(prepared, PosixFileAttributeView.class);
    try {
      view.setGroup(wanted.group());
      view.setOwner(wanted.owner());
    } catch (IOException e) {
      // A directory that several users may write to has files of each.
      if (isReplaced) {
        throw new IOException(
            "the file belongs to %s, not to %s".formatted(wanted.owner(), present.owner()), e);
      }
    }
  }

  private static PosixFileAttributes attributes(Path file) throws IOException {
    return Files.readAttributes(file, PosixFileAttributes.class);
  }

  /// A new name is durable when its directory is.
  private static void force(Path directory) throws IOException {
    try (var channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
