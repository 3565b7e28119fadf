package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.kit.config.Secret;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Later attempts of a job, with and without the checkpoints of an earlier one.
class ResumeTest {
  @TempDir Path root;
  private final FakeControlPlane plane = new FakeControlPlane();
  private NodeAgent agent;

  @BeforeEach
  void connect() {
    agent =
        new NodeAgent(
            AgentConfig.of(root.resolve("n1"), "n1", plane.uri())
                .withJoinToken(Secret.of(FakeControlPlane.JOIN_TOKEN))
                .withSimulatedGpus("2xH100"),
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

  private void run(String job) {
    plane.send(
        Orders.message(
            Orders.assign(plane.leadership, job, "echo resume=$HEADGATE_RESUME").setResume(true)));
    plane.awaitEnd(job);
  }

  private Path logs(String job) {
    return root.resolve("n1/attempts/acme." + job + ".1.0/logs");
  }

  @Test
  void anAttemptWithoutTheCheckpointsOfAnEarlierOneBeginsAnewAndSaysSo() {
    run("moved");

    assertThat(logs("moved").resolve("stdout.0")).hasContent("resume=\n");
    assertThat(logs("moved").resolve("stderr.0"))
        .hasContent(
            "[headgate: attempt 1 begins anew: %s on this node has no checkpoint of an earlier"
                    .formatted(root.resolve("n1/checkpoints/acme/moved"))
                + " attempt]\n");
  }

  @Test
  void anAttemptThatFindsCheckpointsResumes() throws Exception {
    Path checkpoints = Files.createDirectories(root.resolve("n1/checkpoints/acme/stayed"));
    Files.writeString(checkpoints.resolve("epoch-3"), "state");

    run("stayed");

    assertThat(logs("stayed").resolve("stdout.0")).hasContent("resume=1\n");
    assertThat(logs("stayed").resolve("stderr.0")).doesNotExist();
  }
}
