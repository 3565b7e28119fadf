package io.headgate.agent.runtime;

import static io.headgate.agent.runtime.CrashTest.report;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.AttemptState;
import io.headgate.agent.core.EndReason;
import io.headgate.agent.core.Fixtures;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.Rendezvous;
import io.headgate.agent.core.StopOrder;
import io.headgate.agent.core.WorkerAddress;
import io.headgate.agent.driver.nvml.FakeGpus;
import io.headgate.agent.runtime.ledger.Failpoint;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The agent of a gang's first worker is killed at the start barrier, and starts again. The ledger
/// has the worker's port and not the Go, so the worker waits with the same port for another Go.
@Execution(ExecutionMode.CONCURRENT)
class GangCrashTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path data;
  private FakeGpus gpus;

  @BeforeEach
  void install() {
    gpus = FakeGpus.in(data, FakeGpus.Version.V615).with(false).with(false);
    gpus.capability(1, 8);
    gpus.instance(0, 9, 0, 4);
  }

  static Input go() {
    return new Input.GoOrdered(
        Fixtures.LEADER,
        Fixtures.key("job"),
        new Rendezvous(List.of("127.0.0.1", "127.0.0.2"), 29500, 0, 1, 0),
        Fixtures.NOW);
  }

  private static Stream<Failpoint> failpoints() {
    return Failpoint.OF_GANGS.stream();
  }

  private Path checkpoints() {
    return data.resolve("checkpoints/acme/job");
  }

  private WorkerAddress awaitPrepared(Agent agent) throws Exception {
    await().atMost(PATIENCE).until(() -> report(agent).address().isPresent());
    assertThat(report(agent).state()).isEqualTo(AttemptState.STARTING);
    assertThat(checkpoints().resolve("starts")).as("no program runs before Go").doesNotExist();
    return report(agent).address().orElseThrow();
  }

  private static AttemptReport.End awaitEnd(Agent agent) throws Exception {
    await().atMost(PATIENCE).until(() -> report(agent).state() == AttemptState.ENDED);
    return report(agent).end().orElseThrow();
  }

  private String recorded() throws Exception {
    return Files.readString(data.resolve("attempts/acme.job.1.0/address"));
  }

  private void assertNothingIsLeft(int port) throws Exception {
    assertThat(gpus.instances(0)).containsExactly("3g.40gb@0 alone");
    assertThat(gpus.limits(1)).isEmpty();
    try (ServerSocket free = new ServerSocket(port, 1)) {
      assertThat(free.isBound()).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("failpoints")
  void waitsWithTheSamePortAndStartsOnce(Failpoint point) throws Exception {
    CrashTest.die(data, point.name(), "gang");
    String before = recorded();

    try (Agent agent = CrashingAgent.open(data)) {
      agent.start();
      WorkerAddress address = awaitPrepared(agent);
      assertThat(before).contains("" + address.masterPort());
      // As a scheduler does that does not know how far it came.
      agent.post(CrashTest.assignedInGang());
      agent.post(go());
      await().atMost(PATIENCE).until(() -> Files.exists(checkpoints().resolve("starts")));
      agent.post(go());
      Files.createFile(checkpoints().resolve("go"));

      assertThat(awaitEnd(agent).exitCode()).hasValue(17);
      assertThat(report(agent).address()).contains(address);
      assertThat(checkpoints().resolve("starts")).hasContent("started");
      assertThat(recorded()).isEqualTo(before);
      assertNothingIsLeft(address.masterPort());
    }
  }

  @ParameterizedTest
  @MethodSource("failpoints")
  void isCancelledAtTheBarrierAndNeverStarts(Failpoint point) throws Exception {
    CrashTest.die(data, point.name(), "gang");

    try (Agent agent = CrashingAgent.open(data)) {
      agent.start();
      WorkerAddress address = awaitPrepared(agent);
      agent.post(CrashTest.ordered(new StopOrder(StopOrder.Kind.CANCEL, false)));

      assertThat(awaitEnd(agent).reason()).isEqualTo(EndReason.STOPPED);
      agent.post(go());
      agent.post(CrashTest.assignedInGang());
      assertThat(awaitEnd(agent).reason()).isEqualTo(EndReason.STOPPED);
      assertThat(checkpoints().resolve("starts")).doesNotExist();
      assertNothingIsLeft(address.masterPort());
    }
  }

  /// Other workers may know the port already, so the worker takes no other one.
  @Test
  void isRejectedIfAnotherProgramTookItsPort() throws Exception {
    CrashTest.die(data, Failpoint.AFTER_ADDRESS_RECORD.name(), "gang");
    int port = Integer.parseInt(recorded().replaceAll("(?s).*port=(\\d+).*", "$1"));

    try (ServerSocket other = new ServerSocket(port, 1);
        Agent agent = CrashingAgent.open(data)) {
      agent.start();

      assertThat(awaitEnd(agent).reason()).isEqualTo(EndReason.REJECTED);
      assertThat(awaitEnd(agent).error())
          .isEqualTo(
              Optional.of(
                  "another program took port %d, which was reserved for the gang"
                      .formatted(other.getLocalPort())));
      assertThat(checkpoints().resolve("starts")).doesNotExist();
    }
  }
}
