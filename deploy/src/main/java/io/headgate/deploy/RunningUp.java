package io.headgate.deploy;

import io.headgate.sdk.cli.error.CliFailure;
import io.headgate.sdk.cli.error.ErrorFrame;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.Invocation;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/// The output of a second `up` on a data directory. It succeeds, so that a script that needs an
/// installation can call `up` without a check first. Flags that ask for a change fail, because the
/// running installation ignores them.
final class RunningUp {
  /// Flags that ask for more than a running installation.
  private static final Set<String> ORDERS = Set.of("--file", "--demo", "--once", "--observe");

  private RunningUp() {}

  /// Shows the running installation.
  ///
  /// @param flags of this call that cannot change it any more
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
    String unchanged = String.join(", ", flags) + " cannot change a running installation";
    if (Collections.disjoint(flags, ORDERS)) {
      invocation.output().note(unchanged);
      return ExitCode.DONE;
    }
    ErrorFrame frame =
        ErrorFrame.usage(
            unchanged,
            "ALREADY_RUNNING",
            List.of(
                "to apply a configuration: headgate apply -f FILE",
                "for other changes: stop it with Ctrl-C in its terminal, and start it again",
                "to run a second installation: headgate up --data DIR --port PORT"));
    throw new CliFailure(List.of(frame), ExitCode.REFUSED, null);
  }
}
