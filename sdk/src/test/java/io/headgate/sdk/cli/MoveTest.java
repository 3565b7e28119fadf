package io.headgate.sdk.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.NodeUsage;
import io.headgate.sdk.cli.TestCli.Result;
import io.headgate.sdk.gate.TestGate;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Moves and labels of nodes.
class MoveTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final TestGate gate = TestGate.open();
  @TempDir Path home;

  @BeforeEach
  void fill() {
    Fixtures.fill(gate);
  }

  @AfterEach
  void close() {
    gate.close();
  }

  @Test
  void aNodeIsMovedAtOnce() {
    assertThat(run("move", "gpu-03", "research").out())
        .isEqualTo("gpu-03: pool onprem-rtx6000 -> research\n");
    assertThat(node().getPool()).isEqualTo("research");
    assertThat(run("move", "gpu-03", "research").out())
        .isEqualTo("gpu-03 is in pool research already\n");
  }

  @Test
  void withDrainAMoveWaitsForTheJobsOfTheNode() {
    CompletableFuture<Result> moving =
        CompletableFuture.supplyAsync(() -> run("move", "gpu-03", "research", "--drain"));
    await().atMost(PATIENCE).until(() -> gate.jobs.watcherCount() == 1);
    assertThat(node().getState()).isEqualTo(Node.State.STATE_DRAINING);
    assertThat(node().getDrainReason()).isEqualTo("moves to pool research");
    assertThat(node().getPool()).as("its jobs run yet").isEqualTo("onprem-rtx6000");

    gate.usage.nodes.set(0, NodeUsage.newBuilder().setNode("gpu-03").build());
    for (String job : new String[] {"train-4", "train-5"}) {
      gate.jobs.change(job, it -> it.toBuilder().setState(Job.State.STATE_DONE).build());
    }
    Result moved = moving.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    assertThat(moved.out()).isEqualTo("gpu-03: pool onprem-rtx6000 -> research\n");
    assertThat(moved.err())
        .contains(
            "gpu-03 drains: waiting for train-4, train-5 (Ctrl-C leaves it draining; headgate"
                + " undrain gpu-03)");
    assertThat(node().getPool()).isEqualTo("research");
    assertThat(node().getState()).isEqualTo(Node.State.STATE_ACTIVE);
  }

  @Test
  void aMoveThatWouldBeRefusedDrainsNothing() {
    assertThat(run("move", "gpu-03", "absent", "--drain").exitCode()).isNotZero();
    assertThat(node().getState()).isEqualTo(Node.State.STATE_ACTIVE);
  }

  @Test
  void aNodeThatDrainedBeforeItsMoveDrainsOn() {
    gate.usage.nodes.set(0, NodeUsage.newBuilder().setNode("gpu-03").build());
    run("drain", "gpu-03", "--reason", "new fan");
    run("move", "gpu-03", "research", "--drain");
    assertThat(node().getState()).isEqualTo(Node.State.STATE_DRAINING);
    assertThat(node().getDrainReason()).isEqualTo("new fan");
  }

  @Test
  void labelsAreSetAndRemovedAndShown() {
    assertThat(run("label", "gpu-03", "rack=r7", "zone=b").out())
        .isEqualTo("gpu-03: rack=r7 zone=b\n");
    assertThat(run("nodes", "gpu-03").out()).contains("rack=r7 zone=b");
    assertThat(run("label", "gpu-03", "rack-", "zone-").out()).isEqualTo("gpu-03: no labels\n");
  }

  @Test
  void aChangeOfALabelThatIsNoneIsRefused() {
    Result refused = run("label", "gpu-03", "rack");
    assertThat(refused.exitCode()).isEqualTo(2);
    assertThat(refused.err()).contains("\"rack\" is no change of a label", "KEY=VALUE");
  }

  private Node node() {
    return gate.supply.allNodes.getFirst();
  }

  private Result run(String... words) {
    return TestCli.at(gate, home).run(words);
  }
}
