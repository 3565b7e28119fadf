package io.headgate.agent.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/// The machine's podman, with a store of its own.
///
/// @param program that calls it so
public record RealPodman(Path program, Path root) implements AutoCloseable {
  private static final Path PODMAN = Path.of("/usr/bin/podman");

  /// The image that is made.
  public static final String IMAGE = "localhost/headgate-test:1";

  /// With a store below a directory. Whoever has no podman is told, and tries nothing.
  public static RealPodman in(Path directory) throws IOException {
    assumeThat(PODMAN)
        .as("podman is NOT INSTALLED, so nothing here was tried (Debian: apt-get install podman)")
        .isExecutable();
    assumeThat(System.getProperty("user.name")).as("podman mounts for root only").isEqualTo("root");
    Path root = Files.createDirectory(directory.resolve("real"));
    Path program = root.resolve("podman");
    Files.writeString(
        program,
        "#!/bin/sh\nexec %s --root '%s' --runroot '%s' \"$@\"\n"
            .formatted(PODMAN, root.resolve("store"), root.resolve("run")));
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    return new RealPodman(program, root);
  }

  /// Makes the image of one file, with A=b=c in its environment and /w as its working directory.
  public void makeImage(Path file) throws Exception {
    Path directory = file.toAbsolutePath().getParent();
    Path archive = root.resolve("image.tar");
    run("tar", "-C", directory + "", "-cf", archive.toString(), file.getFileName().toString());
    run(
        program.toString(),
        "import",
        "-q",
        "-c",
        "ENV=A=b=c",
        "-c",
        "WORKDIR=/w",
        archive + "",
        IMAGE);
  }

  /// What podman says.
  public String call(String... arguments) throws Exception {
    String[] command = new String[arguments.length + 1];
    command[0] = program.toString();
    System.arraycopy(arguments, 0, command, 1, arguments.length);
    return run(command);
  }

  private static String run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said;
  }

  /// Podman binds its store to itself, so that nobody could delete it.
  @Override
  public void close() throws IOException {
    new ProcessBuilder("umount", root.resolve("store/overlay").toString())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .onExit()
        .join();
  }
}
