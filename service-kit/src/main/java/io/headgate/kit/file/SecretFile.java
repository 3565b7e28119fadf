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

  /// Writes the secret and replaces an existing one.
  public void write(String secret) {
    try {
      Files.move(
          prepared(secret),
          path,
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw cannot("write", e);
    }
  }

  /// Writes the secret unless the file exists; atomic across processes.
  ///
  /// @return the content of the file
  public String writeIfAbsent(String secret) {
    try {
      Path prepared = prepared(secret);
      try {
        Files.createLink(path, prepared);
      } catch (FileAlreadyExistsException _) {
        // Another process was first; its secret counts.
      } finally {
        Files.delete(prepared);
      }
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
  private Path prepared(String secret) throws IOException {
    Path directory = path.getParent();
    if (directory == null) {
      throw new IOException("not a file: " + path);
    }
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
}
