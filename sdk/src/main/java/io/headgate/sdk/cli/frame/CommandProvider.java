package io.headgate.sdk.cli.frame;

/// Adds a command to the command line through `java.util.ServiceLoader`. Thereby a server
/// installation brings `up`, while the command line depends on no service.
public interface CommandProvider {
  /// The command's name.
  String name();

  /// One line for `headgate help`.
  String summary();

  /// Creates the command for one run.
  CliCommand create();
}
