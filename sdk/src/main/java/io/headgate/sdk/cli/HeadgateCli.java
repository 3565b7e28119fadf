package io.headgate.sdk.cli;

import io.headgate.sdk.cli.frame.CliEnvironment;

/// Entry point of the command line.
public final class HeadgateCli {
  private HeadgateCli() {}

  public static void main(String[] args) {
    int exitCode = new Cli(CliEnvironment.ofProcess()).run(args);
    System.exit(exitCode);
  }
}
