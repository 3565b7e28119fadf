package io.headgate.agent.process;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// Changes the owner of directories and of all their contents. The supervisor's program does it,
/// because the JDK cannot promise to leave links and their targets alone.
public final class OwnedTree {
  private OwnedTree() {}

  /// Gives it to a user, unless it is the user's already.
  ///
  /// @param program as extracted by [SupervisorBinary]
  public static void give(Path program, int user, Path directory) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
                program.toString(), "--own", Integer.toString(user), directory.toString())
            .redirectInput(new File("/dev/null"))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.environment().clear();
    try {
      Process process = FreshProgram.start(builder);
      String problem =
          new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      if (process.waitFor() != 0) {
        throw new IOException("cannot give the job's user its directories: " + problem);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while directories changed hands", e);
    }
  }
}
