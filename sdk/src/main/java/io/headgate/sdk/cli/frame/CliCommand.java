package io.headgate.sdk.cli.frame;

/// One command: a picocli-annotated object that can be run.
public interface CliCommand {
  /// The command's flags that all commands share.
  GlobalOptions global();

  /// Runs the command and returns the exit code. Exceptions are shown as errors.
  int run(Invocation invocation) throws Exception;
}
