package io.headgate.sdk.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.proto.scheduler.v1.Job;
import io.headgate.sdk.gate.TestGate;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `headgate top` on a real terminal: a pseudo-terminal that a small program plays a script on.
///
/// The program (`src/test/python/terminal.py`) understands these lines. `see TEXT` waits until the
/// screen shows the text, `gone TEXT` until it does not. `type KEYS` types, `size COLUMNS ROWS`
/// changes the size, `stop PROGRAM` runs a program, `end CODE` waits for the exit code and checks
/// that the terminal is as it was.
class TopTerminalTest {
  private final TestGate gate = TestGate.open();
  private final String server = gate.address().toString();
  @TempDir Path home;

  @BeforeEach
  void fill() {
    Fixtures.fill(gate);
    gate.jobs.explanations.put(
        "tenants/acme/jobs/train-4", Fixtures.explanations().get("tenants/acme/jobs/train-4"));
  }

  @AfterEach
  void close() {
    gate.close();
  }

  private String play(String script) throws Exception {
    Path lines = Files.writeString(home.resolve("script"), script);
    List<String> words = new ArrayList<>(List.of("python3", "src/test/python/terminal.py"));
    words.add(lines.toString());
    words.addAll(CliProcess.command("top"));
    ProcessBuilder builder = new ProcessBuilder(words);
    builder.environment().put("HEADGATE_SERVER", server);
    builder.environment().put("HEADGATE_KEY", TestGate.KEY);
    builder.environment().put("HOME", home.toString());
    builder.environment().put("LANG", "C.UTF-8");
    builder.environment().put("TERM", "xterm-256color");
    builder.environment().remove("NO_COLOR");
    builder.environment().remove("COLUMNS");
    File told = home.resolve("told").toFile();
    builder.redirectErrorStream(true).redirectOutput(told);
    builder.redirectInput(new File("/dev/null"));
    Process played = builder.start();
    try {
      assertThat(played.waitFor(300, TimeUnit.SECONDS)).as("the script ends").isTrue();
      String text = Files.readString(told.toPath(), StandardCharsets.UTF_8);
      assertThat(played.exitValue()).as(text).isZero();
      return text;
    } finally {
      played.destroyForcibly().waitFor();
    }
  }

  @Test
  void showsViewsFollowsTheSizeAndLeavesTheTerminalAsItWas() throws Exception {
    play(
        """
        see onprem-rtx6000
        see over by 5 1/2
        type 3
        see ai-dev-half
        size 100 30
        see [3 jobs]
        type /queue=ai-dev-half
        see /queue=ai-dev-half_
        type <enter>
        see filter: queue=ai-dev-half
        type ?
        see entitled, then over the reservation
        type x
        type 4
        see gpu-03
        type <down><up>q
        end 0
        """);
    assertThat(gate.count("CancelJob")).isZero();
  }

  @Test
  void explainsTheSelectedJobAndCancelsItOnlyAfterYes() throws Exception {
    play(
        """
        see onprem-rtx6000
        type 3
        see > train-4
        type /train-4<enter>
        see filter: train-4
        type e
        see train-4 runs on gpu-03 device 1
        type x
        type cn
        see train-4 is not cancelled
        type cy
        see train-4 is being cancelled
        type q
        end 0
        """);
    assertThat(gate.count("CancelJob")).isEqualTo(1);
    assertThat(gate.jobs.job("train-4").getState()).isEqualTo(Job.State.STATE_CANCELLED);
  }

  @Test
  void ctrlCRestoresTheTerminal() throws Exception {
    play(
        """
        see onprem-rtx6000
        type <ctrl-c>
        end 130
        """);
  }

  @Test
  void aSignalRestoresTheTerminal() throws Exception {
    play(
        """
        see onprem-rtx6000
        kill TERM
        end 143
        """);
  }

  @Test
  void saysSinceWhenTheServerIsGoneAndGoesOn() throws Exception {
    Path flag = home.resolve("gone");
    Thread breaker =
        Thread.ofPlatform()
            .start(() -> {
              while (!Files.exists(flag)) {
                Thread.onSpinWait();
              }
              gate.close();
            });
    play(
        """
        see onprem-rtx6000
        touch %s
        see stale since
        type 2
        see [2 policies]
        type q
        end 0
        """
            .formatted(flag));
    breaker.join();
  }

  @Test
  void aRefusalIsAnOrdinaryError() throws Exception {
    gate.close();
    assertThat(
            play(
                """
                end 5
                """))
        .contains("error:")
        .doesNotContain("\u001b[?1049h");
  }
}
