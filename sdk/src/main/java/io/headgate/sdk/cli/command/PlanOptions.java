package io.headgate.sdk.cli.command;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags that plan and apply share.
final class PlanOptions {
  @Option(
      names = {"-f", "--file"},
      required = true,
      paramLabel = "FILE",
      description = "The configuration, YAML or JSON; - for standard input.")
  Path file = Path.of("-");

  @Option(names = "--exit-code", description = "Exit with 3 when there are changes.")
  boolean exitCode;

  @Option(
      names = "--if-version",
      paramLabel = "N.M",
      description = "Only when these versions are in force, as plan prints them; else exit with 6.")
  @Nullable String ifVersion;
}
