package io.headgate.agent.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/// Programs of the machine, for tests.
final class Programs {
  private Programs() {}

  /// Runs a program that must succeed, and returns its output.
  static String run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.onExit().join().exitValue()).as(said).isZero();
    return said;
  }

  /// One of a shell.
  static Path script(Path file, String text) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    return file;
  }

  /// Unmounts what an engine has mounted below a directory, so that it can be deleted.
  static void unmountBelow(Path directory) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/mounts")).reversed()) {
      String mounted = line.split(" ", 3)[1];
      if (mounted.startsWith(directory + "/")) {
        run("umount", "--lazy", mounted);
      }
    }
  }
}
