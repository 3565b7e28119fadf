package io.headgate.sdk.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.sdk.gate.TestGate;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Commands start in a third of a second because they load only what they need. The library of the
/// terminal is not for them.
class TerminalLibraryTest {
  private static final TestGate GATE = TestGate.open();
  @TempDir static Path home;

  @BeforeAll
  static void fill() {
    Fixtures.fill(GATE);
  }

  @AfterAll
  static void close() {
    GATE.close();
  }

  /// `top` prints one frame here, and needs no terminal for it.
  @ParameterizedTest
  @ValueSource(strings = {"version", "jobs", "help", "top"})
  void isLoadedOnlyForAScreen(String command) throws Exception {
    Path log = home.resolve(command + ".log");
    List<String> words = CliProcess.command(command);
    words.add(1, "-Xlog:class+load:file=" + log);
    ProcessBuilder builder = new ProcessBuilder(words);
    builder.environment().put("HEADGATE_SERVER", GATE.address().toString());
    builder.environment().put("HEADGATE_KEY", TestGate.KEY);
    builder.environment().put("HOME", home.toString());
    builder.redirectErrorStream(true).redirectOutput(home.resolve("out").toFile());
    Process process = builder.start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
    assertThat(Files.readAllLines(log))
        .anyMatch(line -> line.contains("io.headgate.sdk.cli.HeadgateCli"))
        .noneMatch(line -> line.contains("org.jline"));
  }
}
