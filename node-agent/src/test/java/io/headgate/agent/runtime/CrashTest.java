package io.headgate.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.core.AbortCallback;
import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.AttemptState;
import io.headgate.agent.core.EndReason;
import io.headgate.agent.core.Fixtures;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.core.StopOrder;
import io.headgate.agent.driver.simulated.SimulatedGpuDriver;
import io.headgate.agent.driver.simulated.SimulatedGpus;
import io.headgate.agent.process.AttemptLock;
import io.headgate.type.GpuQuantity;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/// The agent is killed at every step of the ledger, and starts again: the job has run exactly once,
/// its exit code is exact, and its slice is free.
class CrashTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path data;

  static Input assigned() {
    return assigned(Optional.empty());
  }

  /// The same job, which must not start when contact was lost for longer than this.
  static Input assigned(Optional<Duration> stopAfter) {
    String uuid =
        new SimulatedGpuDriver(SimulatedGpus.parse("1xH100"), "crash").devices().getFirst().uuid();
    return new Input.Assigned(
        Fixtures.LEADER,
        new Assignment(
            Fixtures.key("job"),
            1,
            "half",
            List.of(new SliceGrant(0, uuid, GpuQuantity.ONE, 0)),
            0,
            0,
            List.of(
                "bash",
                "-c",
                """
                trap 'exit 23' TERM
                echo started >> "$HEADGATE_CHECKPOINT_DIR/starts"
                until [ -e "$HEADGATE_CHECKPOINT_DIR/go" ]; do read -t 0.02 <> <(:); done
                exit 17
                """),
            new TreeMap<>(),
            Optional.empty(),
            Optional.empty(),
            AbortCallback.NONE,
            Duration.ofSeconds(20),
            stopAfter,
            "",
            false,
            IsolationLevel.NONE,
            "ada"),
        Fixtures.NOW);
  }

  static Input ordered(StopOrder order) {
    return new Input.StopOrdered(Fixtures.LEADER, Fixtures.key("job"), order, Fixtures.NOW);
  }

  @ParameterizedTest
  @EnumSource(value = Failpoint.class, mode = Mode.EXCLUDE, names = "AFTER_REFUSAL_RECORD")
  void runsTheJobOnceWhereverTheAgentIsKilled(Failpoint failpoint) throws Exception {
    boolean whileStopping = failpoint.compareTo(Failpoint.AFTER_STOP_SENT) >= 0;
    die(failpoint, whileStopping ? "stop" : "run");

    try (Agent agent = CrashingAgent.open(data)) {
      agent.start();
      // As a scheduler does that does not know how far it came.
      agent.post(assigned());
      Path checkpoints = data.resolve("checkpoints/acme/job");
      if (whileStopping) {
        agent.post(ordered(new StopOrder(StopOrder.Kind.PREEMPT, false)));
      } else {
        await().atMost(PATIENCE).until(() -> Files.exists(checkpoints.resolve("starts")));
        Files.createFile(checkpoints.resolve("go"));
      }
      await().atMost(PATIENCE).until(() -> report(agent).state() == AttemptState.ENDED);

      AttemptReport.End end = report(agent).end().orElseThrow();
      assertThat(end.exitCode()).isEqualTo(OptionalInt.of(whileStopping ? 23 : 17));
      assertThat(end.reason()).isEqualTo(whileStopping ? EndReason.STOPPED : EndReason.EXITED);
      assertThat(Files.readString(checkpoints.resolve("starts"))).isEqualTo("started\n");
      assertThat(agent.updatesAfter(0, 100))
          .extracting(update -> update.report().state())
          .endsWith(AttemptState.ENDED);
      assertThat(data.resolve("attempts/acme.job.1.0"))
          .as("what may hold secrets is gone, whenever the crash came")
          .isDirectoryNotContaining("glob:**/{assignment,env,argv,callback}");
    }
  }

  @Test
  void givesUpForGoodWhatItHadGivenUpWhenItWasKilled() throws Exception {
    die(Failpoint.AFTER_REFUSAL_RECORD, "late");

    try (Agent agent = CrashingAgent.open(data)) {
      agent.start();
      agent.post(assigned());
      await().atMost(PATIENCE).until(() -> report(agent).state() == AttemptState.ENDED);

      assertThat(report(agent).end().orElseThrow().reason()).isEqualTo(EndReason.OUT_OF_CONTACT);
      assertThat(data.resolve("checkpoints/acme/job/starts")).doesNotExist();
    }
  }

  @Test
  void givesUpEverythingThatRanBeforeAReboot() throws Exception {
    try (Agent agent = CrashingAgent.open(data)) {
      agent.start();
      agent.post(assigned());
      await().atMost(PATIENCE).until(() -> report(agent).started().isPresent());
    }
    try (Agent agent = CrashingAgent.open(data, "another-boot")) {
      agent.start();
      assertThat(report(agent).end().orElseThrow().reason()).isEqualTo(EndReason.LOST);
      assertThat(report(agent).end().orElseThrow().error()).hasValue("the machine was restarted");
    }
    // There was no reboot, so the job is still there to be ended.
    Files.createFile(data.resolve("checkpoints/acme/job/go"));
    Path attempt = data.resolve("attempts/acme.job.1.0");
    await().atMost(PATIENCE).until(() -> !AttemptLock.isHeld(attempt));
  }

  private void die(Failpoint failpoint, String what) throws Exception {
    Process agent =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "--enable-native-access=ALL-UNNAMED",
                "-D" + Failpoint.PROPERTY + "=" + failpoint.name(),
                "-Dheadgate.log.level=WARN",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                CrashingAgent.class.getName(),
                data.toString(),
                what)
            .redirectErrorStream(true)
            .redirectOutput(new File("/dev/null"))
            .start();
    try {
      assertThat(agent.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
          .as("%s is reached", failpoint)
          .isTrue();
      assertThat(agent.exitValue()).isEqualTo(137);
    } finally {
      agent.destroyForcibly().waitFor();
    }
  }

  private static AttemptReport report(Agent agent) throws Exception {
    return agent.reports().get().stream()
        .filter(report -> report.key().equals(Fixtures.key("job")))
        .findFirst()
        .orElseThrow();
  }
}
