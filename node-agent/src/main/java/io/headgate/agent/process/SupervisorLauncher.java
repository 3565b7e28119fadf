package io.headgate.agent.process;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// Starts supervisors.
public final class SupervisorLauncher {
  /// Exit code: without contact for so long that it may run elsewhere.
  public static final int TOO_LATE = 75;

  /// The machine's fault, and the attempt was not started.
  private static final int REJECTED = 76;

  /// Exit code: the attempt was started or refused before.
  public static final int ALREADY_STARTED = 74;

  private final Path program;

  /// Launches with this program.
  ///
  /// @param program as extracted by [SupervisorBinary]
  public SupervisorLauncher(Path program) {
    this.program = program;
  }

  /// How a launch came out.
  public sealed interface Result {
    /// The program starts now; its status is durable.
    record Started() implements Result {}

    /// Another supervisor has the attempt.
    record AlreadySupervised() implements Result {}

    /// It was started before, whatever became of it.
    record AlreadyStarted() implements Result {}

    /// So long without contact that the attempt may run elsewhere: it was not started.
    record TooLate() implements Result {}

    /// It was not started.
    record Failed(String problem) implements Result {}

    /// It was not started, by a fault of the machine's: it may run elsewhere.
    record Rejected(String problem) implements Result {}

    /// The attempt had not started when the wait for its start was given up.
    record Abandoned() implements Result {}
  }

  /// Starts the attempt in the directory, at most once ever: the supervisor's own lock and status
  /// decide, so this may be repeated after any crash.
  ///
  /// @throws IOException when it is unknown how it came out
  public Result launch(Path attempt) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(program.toString(), attempt.toString())
            .redirectInput(new File("/dev/null"))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD);
    // Nothing of the agent's environment, loader variables least of all, reaches a supervisor.
    builder.environment().clear();
    Process process = FreshProgram.start(builder);
    String problem =
        new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    int code = process.waitFor();
    return switch (code) {
      case 0 -> new Result.Started();
      case 73 -> new Result.AlreadySupervised();
      case ALREADY_STARTED -> new Result.AlreadyStarted();
      case TOO_LATE -> new Result.TooLate();
      case REJECTED -> new Result.Rejected(problem);
      case 64, 71 -> new Result.Failed(problem.isEmpty() ? "the supervisor failed" : problem);
      // The launcher was killed, so it is unknown whether the supervisor lives; trying again tells.
      default -> throw new IOException("the launcher of " + attempt + " ended with " + code);
    };
  }
}
