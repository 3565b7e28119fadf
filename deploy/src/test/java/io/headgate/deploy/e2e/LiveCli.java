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
import java.util.List;
import java.util.Map;

/// The `headgate` command in a pipe, as an operator of an installation.
///
/// @param server where the installation is reached
/// @param key of the operator
record LiveCli(URI server, String key) {
  static LiveCli of(TestInstallation headgate) {
    return new LiveCli(headgate.installation().uri(), headgate.installation().adminKey().reveal());
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
    CliEnvironment environment =
        new CliEnvironment(
            Map.of(
                "HOME",
                "/nonexistent",
                "LANG",
                "en_US.UTF-8",
                "HEADGATE_SERVER",
                server.toString(),
                "HEADGATE_KEY",
                key,
                "HEADGATE_TENANT",
                TestInstallation.TENANT),
            new ByteArrayInputStream(new byte[0]),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false,
            false,
            false,
            () -> 80,
            Clock.systemUTC(),
            ZoneOffset.UTC);
    int exitCode = new Cli(environment).run(words);
    return new Result(
        out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8), exitCode);
  }
}
