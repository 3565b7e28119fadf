package io.headgate.sdk.cli.frame;

/// Adds a command to the command line; found by `java.util.ServiceLoader`. So a server installation
/// brings `up`, while the command line alone depends on no service.
public interface CommandProvider {
  /// The word that calls it.
  String name();

  /// One line for `headgate help`.
  String summary();

  /// A fresh command.
  CliCommand create();
}
