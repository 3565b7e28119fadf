package io.headgate.kit.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(120)
class SignalTest {

  @ParameterizedTest
  @CsvSource({"TERM, 143", "INT, 130"})
  void aSignalStopsEverythingInOrder(String signal, int status) throws Exception {
    Process process =
        new ProcessBuilder(
                // A shell that runs the tests in the background ignores SIGINT, and child processes
                // inherit that.
                "env",
                "--default-signal=" + signal,
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-classpath",
                System.getProperty("java.class.path"),
                Signalled.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    BufferedReader said = process.inputReader(StandardCharsets.UTF_8);
    assertThat(said.readLine()).isEqualTo("ready");
    int sent =
        new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor();
    assertThat(sent).isZero();
    assertThat(said.lines()).containsExactly("server stopped", "database stopped");
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(status);
  }

  /// The main class of the process that gets the signal.
  static final class Signalled {
    private Signalled() {}

    public static void main(String[] arguments) throws Exception {
      Lifecycle lifecycle = new Lifecycle(Duration.ofSeconds(60));
      lifecycle.stopOnSignal();
      lifecycle.own("database", () -> System.out.println("database stopped"));
      lifecycle.own("server", () -> System.out.println("server stopped"));
      System.out.println("ready");
      lifecycle.awaitStopped();
    }
  }
}
