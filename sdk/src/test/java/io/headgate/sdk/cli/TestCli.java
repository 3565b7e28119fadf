package io.headgate.sdk.cli;

import io.headgate.sdk.cli.frame.CliEnvironment;
import io.headgate.sdk.gate.TestGate;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;

/// Runs commands in an environment that a test describes. Its clock stands still.
final class TestCli {
  static final Instant NOW = Instant.parse("2026-11-21T14:00:00Z");

  private final Map<String, String> variables = new LinkedHashMap<>();
  private boolean terminal;
  private boolean keyboard;
  private int width = 80;
  private String input = "";

  /// The output and exit code of a command.
  record Result(String out, String err, int exitCode) {}

  private TestCli(Path home) {
    variables.put("HOME", home.toString());
    variables.put("LANG", "en_US.UTF-8");
    variables.put("TERM", "xterm");
  }

  /// A command line in a pipe, without a server.
  static TestCli in(Path home) {
    return new TestCli(home);
  }

  /// A command line in a pipe, signed in to a server.
  static TestCli at(TestGate gate, Path home) {
    return new TestCli(home)
        .with("HEADGATE_SERVER", gate.address().toString())
        .with("HEADGATE_KEY", TestGate.KEY);
  }

  TestCli with(String variable, String value) {
    variables.put(variable, value);
    return this;
  }

  TestCli onTerminal(int columns) {
    terminal = true;
    width = columns;
    return this;
  }

  /// Simulates a user at the terminal that types this text.
  TestCli typing(String text) {
    keyboard = true;
    input = text;
    return this;
  }

  TestCli reading(String text) {
    input = text;
    return this;
  }

  Result run(String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    CliEnvironment environment =
        new CliEnvironment(
            variables,
            new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            keyboard,
            terminal,
            terminal || keyboard,
            () -> width,
            Clock.fixed(NOW, ZoneOffset.UTC),
            ZoneOffset.UTC);
    int exitCode = new Cli(environment).run(args);
    return new Result(
        out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8), exitCode);
  }
}
