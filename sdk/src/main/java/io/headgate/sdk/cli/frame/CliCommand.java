package io.headgate.sdk.cli.frame;

/// One command: a picocli-annotated object that can be run.
public interface CliCommand {
  /// Its flags that all commands share.
  GlobalOptions global();

  /// Runs and answers with the exit code. What it throws is shown as an error.
  int run(Invocation invocation) throws Exception;
}
