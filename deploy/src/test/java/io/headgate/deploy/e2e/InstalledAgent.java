package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.zip.ZipFile;

/// The agent as it is installed on a machine: unpacked from the archive of `mvn -Pdist package`. A
/// build without that profile has no archive, or an older one. Then the archive's start script gets
/// the same files around it, with this JDK as its runtime.
final class InstalledAgent {
  private static final Path BUILT = Path.of("../node-agent/target");
  private static final Path SCRIPT = Path.of("../node-agent/src/main/dist/headgate-agent");
  private static final String LIBRARY = "com/sun/jna/linux-%s/libjnidispatch.so";

  private InstalledAgent() {}

  /// Installs it.
  ///
  /// @param home not there yet
  /// @return the program
  static Path in(Path home) throws IOException, InterruptedException {
    Files.createDirectories(home);
    Optional<Path> archive = archive();
    if (archive.isPresent()) {
      unpack(archive.get(), home);
    } else {
      assemble(home);
    }
    return home.resolve("bin/headgate-agent");
  }

  private static Optional<Path> archive() throws IOException {
    Optional<Path> archive = file(BUILT, "headgate-agent-*-linux-*.tar.gz");
    Optional<Path> jar = file(BUILT, "headgate-node-agent-*SNAPSHOT.jar");
    return archive.isPresent()
            && jar.isPresent()
            && Files.getLastModifiedTime(archive.get())
                    .compareTo(Files.getLastModifiedTime(jar.get()))
                >= 0
        ? archive
        : Optional.empty();
  }

  private static Optional<Path> file(Path directory, String glob) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, glob)) {
      for (Path file : files) {
        return Optional.of(file);
      }
      return Optional.empty();
    }
  }

  private static void unpack(Path archive, Path home) throws IOException, InterruptedException {
    Process tar =
        new ProcessBuilder(
                "tar", "xzf", archive.toString(), "-C", home.toString(), "--strip-components=1")
            .inheritIO()
            .start();
    assertThat(tar.waitFor()).isZero();
  }

  private static void assemble(Path home) throws IOException {
    Path program = Files.createDirectory(home.resolve("bin")).resolve("headgate-agent");
    Files.copy(SCRIPT, program);
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.createSymbolicLink(home.resolve("runtime"), Path.of(System.getProperty("java.home")));
    Path jars = Path.of("target/lib").toAbsolutePath();
    Files.createSymbolicLink(home.resolve("lib"), jars);
    Path library = Files.createDirectory(home.resolve("native")).resolve("libjnidispatch.so");
    String machine = System.getProperty("os.arch").equals("amd64") ? "x86-64" : "aarch64";
    try (ZipFile jna = new ZipFile(file(jars, "jna-[0-9]*.jar").orElseThrow().toFile());
        InputStream content = jna.getInputStream(jna.getEntry(LIBRARY.formatted(machine)))) {
      Files.copy(content, library);
    }
  }
}
