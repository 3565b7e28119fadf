package io.headgate.sdk.cli.frame;

import java.util.List;

/// One command: a picocli-annotated object that can be run.
public interface CliCommand {
  /// The command's flags that all commands share.
  GlobalOptions global();

  /// Values of `-o`, if they differ from those of lists: the first one is the default. Empty: they
  /// do not.
  default List<String> outputForms() {
    return List.of();
  }

  /// Runs the command and returns the exit code. Exceptions are shown as errors.
  int run(Invocation invocation) throws Exception;
}
