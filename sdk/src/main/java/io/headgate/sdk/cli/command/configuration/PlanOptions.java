package io.headgate.sdk.cli.command.configuration;

import io.headgate.sdk.cli.output.UsageException;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Flags that plan and apply share.
final class PlanOptions {
  private static final Pattern VERSION = Pattern.compile("\\d{1,18}(\\.\\d{1,18})?");

  @Option(
      names = {"-f", "--file"},
      paramLabel = "FILE",
      description = "The configuration, YAML or JSON; - for standard input.")
  private @Nullable Path file;

  @Parameters(arity = "0..1", paramLabel = "FILE", description = "The same as -f FILE.")
  private @Nullable Path given;

  @Option(names = "--exit-code", description = "Exit with 3 when there are changes.")
  boolean exitCode;

  @Option(
      names = "--if-version",
      paramLabel = "N.M",
      description =
          "Continue only if these versions are in force, as plan prints them; else exit with 6.")
  @Nullable String ifVersion;

  /// Path of the configuration file.
  Path file() {
    Path named = file != null ? file : given;
    if (named == null) {
      throw new UsageException(
          "no configuration file was named", "BAD_FLAGS", "name one: -f acme.yaml");
    }
    return named;
  }

  /// Refuses a malformed version before any request goes to a server.
  void check() {
    if (file != null && given != null) {
      throw new UsageException(
          "two files were named: -f %s and %s".formatted(file, given),
          "FLAGS_CONFLICT",
          "leave one of them out");
    }
    if (ifVersion != null && !VERSION.matcher(ifVersion).matches()) {
      throw new UsageException(
          "\"" + ifVersion + "\" is not a version for --if-version",
          "BAD_FLAG_VALUE",
          "two numbers, as plan prints them: --if-version 12.7");
    }
  }
}
