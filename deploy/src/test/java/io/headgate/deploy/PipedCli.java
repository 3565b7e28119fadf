package io.headgate.deploy;

import io.headgate.sdk.cli.Cli;
import io.headgate.sdk.cli.frame.CliEnvironment;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;

/// Runs `headgate` in a pipe, without a server.
public final class PipedCli {
  /// The output of a command and its exit code.
  public record Result(String out, String err, int exitCode) {
    public List<String> lines() {
      return out.lines().toList();
    }
  }

  private PipedCli() {}

  /// @param input on standard input
  public static Result run(String input, List<String> words) {
    return run(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)), words);
  }

  /// @param input standard input
  public static Result run(InputStream input, List<String> words) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    CliEnvironment environment =
        new CliEnvironment(
            Map.of("HOME", "/nonexistent", "LANG", "en_US.UTF-8"),
            input,
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false,
            false,
            false,
            () -> 80,
            Clock.fixed(Instant.EPOCH, ZoneOffset.UTC),
            ZoneOffset.UTC);
    int exitCode = new Cli(environment).run(words.toArray(String[]::new));
    return new Result(
        out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8), exitCode);
  }
}
