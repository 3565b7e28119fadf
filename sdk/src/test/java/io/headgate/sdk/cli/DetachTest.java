package io.headgate.sdk.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.proto.scheduler.v1.Job;
import io.headgate.sdk.gate.TestGate;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Sends Ctrl-C to a command in a process of its own.
class DetachTest {
  private final TestGate gate = TestGate.open();
  @TempDir Path home;

  @AfterEach
  void close() {
    gate.close();
  }

  @Test
  void ctrlCDetachesAndNeverCancels() throws Exception {
    gate.jobs.put(Fixtures.job("train-7", "q", Job.State.STATE_WAITING, "1m").build());
    Process command = start("logs", "-f", "train-7");
    try {
      // Ignores threads that other tests in this JVM left behind.
      await()
          .dontCatchUncaughtExceptions()
          .atMost(Duration.ofSeconds(60))
          .until(() -> gate.jobs.watcherCount() == 1);

      new ProcessBuilder("kill", "-INT", String.valueOf(command.pid())).start().waitFor();

      assertThat(command.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(command.exitValue()).isEqualTo(130);
      assertThat(new String(command.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
          .contains("train-7 continues. Follow it again: headgate logs -f train-7");
      assertThat(gate.count("CancelJob")).isZero();
    } finally {
      command.destroyForcibly().waitFor();
    }
  }

  private Process start(String... words) throws Exception {
    // A background shell ignores Ctrl-C in the test run, and child processes inherit that.
    List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
    command.addAll(CliProcess.command(words));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("HEADGATE_SERVER", gate.address().toString());
    builder.environment().put("HEADGATE_KEY", TestGate.KEY);
    builder.environment().put("HOME", home.toString());
    builder.redirectInput(new File("/dev/null"));
    return builder.start();
  }
}
