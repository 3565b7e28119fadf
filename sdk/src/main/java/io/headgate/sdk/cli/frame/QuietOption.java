package io.headgate.sdk.cli.frame;

import picocli.CommandLine.Option;

/// `-q` for `--quiet`, in every command that does not use the letter otherwise.
public final class QuietOption {
  @Option(names = "-q", description = "As --quiet.")
  public boolean quiet;
}
