package io.headgate.agent.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Set;

/// The supervisor program that the jar carries, put on disk so that it can run.
///
/// Its name holds the hash of its content: an upgraded agent brings its own beside the one that
/// still supervises older attempts.
public final class SupervisorBinary {
  /// Others run it where it is the first process of their container.
  private static final FileAttribute<Set<PosixFilePermission>> PROGRAM =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x"));

  private static final int HASH_DIGITS = 16;

  private SupervisorBinary() {}

  /// Puts the program into the directory, unless it is there already, and returns its path.
  public static Path extract(Path directory) throws IOException {
    String resource = "headgate-supervisor.linux-" + System.getProperty("os.arch");
    byte[] program;
    try (InputStream in = SupervisorBinary.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IOException(
            "this agent has no supervisor for the architecture "
                + System.getProperty("os.arch")
                + "; build it on such a machine");
      }
      program = in.readAllBytes();
    }
    Path file = directory.resolve("headgate-supervisor-" + NameHash.hex(program, HASH_DIGITS));
    // A crash of the machine may have left a file without its content.
    if (!Files.isExecutable(file) || !Arrays.equals(Files.readAllBytes(file), program)) {
      DurableFile.replace(file, program, PROGRAM);
    }
    return file;
  }
}
