package io.headgate.deploy.simulate;

import io.headgate.sdk.cli.Cli;
import io.headgate.sdk.cli.frame.CliEnvironment;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Runs `headgate simulate` in a pipe, without a server.
final class SimulateCli {
  /// What it printed, and how it ended.
  record Result(String out, String err, int exitCode) {
    List<String> lines() {
      return out.lines().toList();
    }
  }

  private SimulateCli() {}

  static Result run(String... args) {
    return reading("", args);
  }

  /// With a scenario on standard input, which the command is told to read.
  static Result scenario(String text, String... flags) {
    List<String> args = new ArrayList<>(List.of("-"));
    args.addAll(List.of(flags));
    return reading(text, args.toArray(String[]::new));
  }

  private static Result reading(String input, String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    CliEnvironment environment =
        new CliEnvironment(
            Map.of("HOME", "/nonexistent", "LANG", "en_US.UTF-8"),
            new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false,
            false,
            false,
            () -> 80,
            Clock.fixed(Instant.EPOCH, ZoneOffset.UTC),
            ZoneOffset.UTC);
    List<String> words = new ArrayList<>(List.of("simulate"));
    words.addAll(List.of(args));
    int exitCode = new Cli(environment).run(words.toArray(String[]::new));
    return new Result(
        out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8), exitCode);
  }
}
