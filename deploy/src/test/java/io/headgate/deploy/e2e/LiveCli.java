package io.headgate.deploy.e2e;

import io.headgate.sdk.cli.Cli;
import io.headgate.sdk.cli.frame.CliEnvironment;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The `headgate` command in a pipe, as an operator of an installation.
///
/// @param server where the installation is reached
/// @param key of the operator
/// @param more variables of its environment
/// @param isInTerminal what it prints is read by a person
record LiveCli(URI server, String key, Map<String, String> more, boolean isInTerminal) {
  static LiveCli of(TestInstallation headgate) {
    return of(headgate.installation().uri(), headgate.installation().adminKey().reveal());
  }

  static LiveCli of(URI server, String key) {
    return new LiveCli(server, key, Map.of(), false);
  }

  LiveCli with(Map<String, String> variables) {
    return new LiveCli(server, key, variables, isInTerminal);
  }

  LiveCli inTerminal() {
    return new LiveCli(server, key, more, true);
  }

  /// The output of a command and its exit code.
  record Result(String out, String err, int exitCode) {
    List<String> lines() {
      return out.lines().toList();
    }
  }

  Result run(String... words) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Map<String, String> variables = new HashMap<>(more);
    variables.put("HOME", "/nonexistent");
    variables.put("LANG", "en_US.UTF-8");
    variables.put("HEADGATE_SERVER", server.toString());
    variables.put("HEADGATE_KEY", key);
    variables.put("HEADGATE_TENANT", TestInstallation.TENANT);
    CliEnvironment environment =
        new CliEnvironment(
            variables,
            new ByteArrayInputStream(new byte[0]),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false,
            isInTerminal,
            false,
            () -> 80,
            Clock.systemUTC(),
            ZoneOffset.UTC);
    int exitCode = new Cli(environment).run(words);
    return new Result(
        out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8), exitCode);
  }
}
