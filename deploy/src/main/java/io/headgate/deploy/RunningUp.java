package io.headgate.deploy;

import io.headgate.sdk.cli.error.CliFailure;
import io.headgate.sdk.cli.error.ErrorFrame;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.Invocation;
import java.nio.file.Path;
import java.util.List;

/// What a second `up` on the same directory says.
final class RunningUp {
  private RunningUp() {}

  /// Shows what runs.
  ///
  /// @param flags that were given and cannot change it any more
  static int show(Invocation invocation, Path directory, List<String> flags) {
    invocation
        .output()
        .line(
            "Headgate is already running on "
                + directory
                + InstanceLock.noteOfHolder(directory)
                    .map(note -> ":\n\n" + note.stripTrailing())
                    .orElse(", still starting."));
    if (flags.isEmpty()) {
      return ExitCode.DONE;
    }
    ErrorFrame frame =
        ErrorFrame.usage(
            String.join(", ", flags) + " cannot change what runs already",
            "ALREADY_RUNNING",
            List.of(
                "a configuration: headgate apply -f FILE",
                "all else: stop it with Ctrl-C where it runs, and start it anew",
                "another beside it: headgate up --data DIR --port PORT"));
    throw new CliFailure(List.of(frame), ExitCode.REFUSED, null);
  }
}
