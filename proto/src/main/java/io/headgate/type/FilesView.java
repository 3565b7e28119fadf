package io.headgate.type;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/// Tells whether two processes see the same files: they run under one kernel, since one start of
/// it, in one namespace of mounts.
public final class FilesView {
  private static final Path KERNEL = Path.of("/proc/sys/kernel/random/boot_id");
  private static final Path MOUNTS = Path.of("/proc/self/ns/mnt");

  private FilesView() {}

  /// The view of this process: 32 hexadecimal digits. Empty where the kernel does not tell.
  public static Optional<String> own() {
    try {
      String names = Files.readString(KERNEL).strip() + " " + Files.readSymbolicLink(MOUNTS);
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(names.getBytes(StandardCharsets.UTF_8));
      return Optional.of(HexFormat.of().formatHex(digest, 0, 16));
    } catch (IOException | UnsupportedOperationException e) {
      return Optional.empty();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
