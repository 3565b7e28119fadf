package io.headgate.sdk.cli.command;

import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.JsonText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `headgate version`.
@Command(
    header = {
      "headgate version             the version of this program",
      "headgate version -o json     the same as JSON",
      ""
    },
    description = "Prints the version of this program.")
public final class VersionCommand implements CliCommand {
  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public int run(Invocation invocation) throws IOException {
    String text =
        switch (invocation.form().kind()) {
          case JSON, JSONL -> JsonText.of(Map.of("version", version()));
          case YAML -> "version: " + version();
          case NAME -> version();
          case TABLE, WIDE, CSV, COLUMNS -> "headgate " + version();
        };
    invocation.output().line(text);
    return ExitCode.DONE;
  }

  static String version() throws IOException {
    try (InputStream in = VersionCommand.class.getResourceAsStream("/headgate-version.txt")) {
      if (in == null) {
        throw new IOException("the version is missing from this build");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    }
  }
}
