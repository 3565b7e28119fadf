package io.headgate.agent.qualify;

import io.headgate.agent.process.FreshProgram;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;

/// The probe, a program that uses a GPU, put where it can run.
///
/// @param file the program
/// @param origin where it came from, for people
public record Probe(Path file, String origin) {
  /// Its name in its directory.
  public static final String PROGRAM = "headgate-probe";

  private static final int PATIENCE_SECONDS = 60;

  /// Puts the probe into the directory. This machine's compiler builds it from its source if there
  /// is one. Otherwise the program built with this agent is used, which needs a C library of 2.34
  /// or later.
  ///
  /// @throws IOException when neither runs here
  public static Probe in(Path directory) throws IOException, InterruptedException {
    Path source = directory.resolve("probe.c");
    Path program = directory.resolve(PROGRAM);
    unpack("probe.c", source);
    boolean built =
        ends("cc", "-O2", "-std=gnu11", "-o", program.toString(), source.toString(), "-ldl");
    if (!built) {
      unpack("headgate-probe.linux-" + System.getProperty("os.arch"), program);
    }
    // Every job is another user.
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    if (!ends(program.toString(), "--runs")) {
      throw new IOException(
          "the probe does not run here: there is no cc to build it with, and the one in this archive"
              + " needs glibc 2.34, and a directory that may hold programs (--directory)");
    }
    return new Probe(program, built ? "built here by cc" : "built with this agent");
  }

  private static void unpack(String resource, Path to) throws IOException {
    try (InputStream in = Probe.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IOException("this agent carries no " + resource);
      }
      Files.copy(in, to);
    }
  }

  private static boolean ends(String... command) throws InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectInput(new File("/dev/null"))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    try {
      Process process = FreshProgram.start(builder);
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return false;
      }
      return process.exitValue() == 0;
    } catch (IOException _) {
      return false;
    }
  }
}
