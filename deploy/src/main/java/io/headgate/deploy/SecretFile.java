package io.headgate.deploy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Optional;

/// A secret in a file that only its owner can read (0600), written whole or not at all.
final class SecretFile {
  private final Path path;

  SecretFile(Path path) {
    this.path = path;
  }

  Optional<String> read() throws IOException {
    return Files.exists(path) ? Optional.of(Files.readString(path).strip()) : Optional.empty();
  }

  void write(String secret) throws IOException {
    Path fresh = path.resolveSibling(path.getFileName() + ".new");
    Files.deleteIfExists(fresh);
    // Created with its final permissions, so that no other user can open it at any moment.
    try (FileChannel out =
        FileChannel.open(
            fresh,
            EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      ByteBuffer bytes = ByteBuffer.wrap((secret + "\n").getBytes(StandardCharsets.UTF_8));
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    }
    Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE);
  }
}
