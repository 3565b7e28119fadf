package io.headgate.sdk.cli.command.shared;

import io.headgate.sdk.cli.error.CliFailure;
import io.headgate.sdk.cli.error.ErrorFrame;
import io.headgate.sdk.cli.error.ErrorFrames;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.model.HeadgateException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// A command on several named things, for example `headgate cancel a b c`. A refusal of one does
/// not keep the command from the next; the refusals are reported together at the end.
public final class NamedItems {
  private NamedItems() {}

  /// Calls the action once for each name, in order.
  ///
  /// @return [ExitCode#DONE] when no action was refused
  /// @throws CliFailure with one error for each refusal. A missing server or sign-in ends the
  ///   command at once, because it would refuse every name.
  public static int run(Invocation invocation, List<String> names, Consumer<String> action) {
    List<ErrorFrame> refused = new ArrayList<>();
    List<String> left = new ArrayList<>();
    int exitCode = ExitCode.DONE;
    for (String name : names) {
      if (exitCode == ExitCode.UNAVAILABLE || exitCode == ExitCode.NOT_SIGNED_IN) {
        left.add(name);
        continue;
      }
      try {
        action.accept(name);
      } catch (CliFailure e) {
        refused.addAll(e.frames());
        left.add(name);
        exitCode = e.exitCode();
      } catch (HeadgateException e) {
        if (names.size() == 1) {
          throw e;
        }
        refused.add(ErrorFrames.of(e, invocation.session().server()));
        left.add(name);
        exitCode = ExitCode.of(e);
      }
    }
    if (refused.isEmpty()) {
      return ExitCode.DONE;
    }
    String trailer =
        names.size() == 1
            ? null
            : "%d of %d done. Not done: %s"
                .formatted(names.size() - left.size(), names.size(), String.join(" ", left));
    throw new CliFailure(refused, exitCode, trailer);
  }
}
