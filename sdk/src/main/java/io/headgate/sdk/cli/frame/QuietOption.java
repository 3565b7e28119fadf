package io.headgate.sdk.cli.frame;

import picocli.CommandLine.Option;

/// `-q` for `--quiet`, in every command that has no better use for the letter.
public final class QuietOption {
  @Option(names = "-q", description = "As --quiet.")
  public boolean quiet;
}
