package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.util.Durations;
import io.headgate.kit.config.Secret;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.agent.v1.AttemptReport.State;
import io.headgate.proto.agent.v1.ConnectRequest;
import io.headgate.proto.agent.v1.ProgressReport;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A whole agent forwards to the scheduler the progress that a job behind its walls reports.
class NodeAgentProgressTest {
  @TempDir Path root;
  private final FakeControlPlane plane = new FakeControlPlane();
  private NodeAgent agent;

  @BeforeEach
  void start() {
    agent =
        new NodeAgent(
            AgentConfig.of(root.resolve("n1"), "n1", plane.uri())
                .withJoinToken(Secret.of(FakeControlPlane.JOIN_TOKEN)),
            Telemetry.disabled(),
            TimeSource.system());
    agent.start();
    await().atMost(FakeControlPlane.PATIENCE).until(agent::isReady);
  }

  @AfterEach
  void stop() {
    agent.stopJobsAndClose(FakeControlPlane.PATIENCE);
    plane.close();
  }

  private List<ProgressReport> told() {
    return plane.said.stream()
        .flatMap(message -> message.getHeartbeat().getProgressList().stream())
        .toList();
  }

  @Test
  void reportsTheLastProgressBeforeTheEndAndAgainInANewSession() {
    plane.send(
        Orders.message(
            Orders.assign(
                plane.leadership,
                "train",
                """
                for i in $(seq 1000); do echo $i/1000 > $HEADGATE_PROGRESS; done
                echo 1000/1000 done > $HEADGATE_PROGRESS; : > $HEADGATE_CHECKPOINTED
                """)));
    plane.awaitEnd("train");

    assertThat(told())
        .as("a thousand words, told once or, at the interval, twice")
        .hasSizeBetween(1, 2)
        .last()
        .satisfies(report -> {
          assertThat(report.getJob()).isEqualTo("tenants/acme/jobs/train");
          assertThat(report.getAttempt()).isEqualTo(1);
          assertThat(report.getFraction()).isEqualTo(1);
          assertThat(report.getMessage()).isEqualTo("done");
          assertThat(report.getCheckpoint()).isNotZero();
          assertThat(Durations.toSeconds(report.getCheckpointAge())).isBetween(0L, 60L);
        });
    List<ConnectRequest> said = List.copyOf(plane.said);
    int end =
        last(said, message -> message.getUpdate().getReport().getState() == State.STATE_ENDED);
    assertThat(last(said, message -> message.getHeartbeat().getProgressCount() > 0))
        .isLessThan(end);

    ProgressReport before = told().getLast();
    int known = told().size();
    plane.cut();
    await().atMost(FakeControlPlane.PATIENCE).until(() -> told().size() > known);
    assertThat(told().getLast().getCheckpoint()).isEqualTo(before.getCheckpoint());
  }

  @Test
  void onlyTheFirstWorkerOfAGangReportsProgress() {
    plane.send(
        Orders.message(
            Orders.assign(
                    plane.leadership,
                    "gang",
                    "exit ${HEADGATE_PROGRESS+1}${HEADGATE_CHECKPOINTED+2}7")
                .setWorker(1)
                .setWorkers(2)));
    assertThat(plane.awaitEnd("gang").getExitCode()).isEqualTo(7);
  }

  private static int last(
      List<ConnectRequest> said, java.util.function.Predicate<ConnectRequest> what) {
    int last = -1;
    for (int i = 0; i < said.size(); i++) {
      last = what.test(said.get(i)) ? i : last;
    }
    return last;
  }
}
