package io.headgate.sdk.cli.command.configuration;

import java.util.List;
import picocli.CommandLine.Option;

/// The flag `--allow`, which names the risks that `--yes` accepts.
public final class AllowOption {
  @Option(
      names = "--allow",
      split = ",",
      paramLabel = "WHAT",
      description = "Risks that --yes accepts: preempt (running jobs), remove (objects).")
  private List<String> words = List.of();

  /// The named risks, unchecked; [ConfigurationChange] checks them.
  public List<String> words() {
    return List.copyOf(words);
  }
}
