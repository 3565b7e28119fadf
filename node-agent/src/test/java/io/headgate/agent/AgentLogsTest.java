package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.kit.config.Secret;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.agent.v1.AttemptReport.State;
import io.headgate.proto.agent.v1.CancelReadLogs;
import io.headgate.proto.agent.v1.ConnectResponse;
import io.headgate.proto.agent.v1.LogChunk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Output on demand: by attempt, in bounded pieces, no faster than its reader wants it.
class AgentLogsTest {
  private static final long PLENTY = 10_000_000;

  @TempDir Path root;
  private FakeControlPlane plane;
  private NodeAgent agent;

  @BeforeEach
  void connect() {
    plane = new FakeControlPlane();
    agent =
        new NodeAgent(
            AgentConfig.of(root.resolve("n1"), "n1", plane.uri())
                .withJoinToken(Secret.of(FakeControlPlane.JOIN_TOKEN)),
            Telemetry.disabled(),
            TimeSource.system());
    agent.start();
  }

  @AfterEach
  void stop() {
    agent.stopJobsAndClose(FakeControlPlane.PATIENCE);
    plane.close();
  }

  private void run(String job, String script) {
    plane.send(Orders.message(Orders.assign(plane.leadership, job, script)));
    plane.awaitState(job, State.STATE_RUNNING);
  }

  private List<LogChunk> chunks(String readId) {
    return plane.chunks.stream().filter(chunk -> chunk.getReadId().equals(readId)).toList();
  }

  private String text(String readId, LogChunk.Stream stream) {
    return chunks(readId).stream()
        .filter(chunk -> chunk.getStream() == stream)
        .map(chunk -> chunk.getData().toStringUtf8())
        .collect(Collectors.joining());
  }

  private LogChunk awaitLast(String readId) {
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> chunks(readId).stream().anyMatch(LogChunk::getLast));
    return chunks(readId).getLast();
  }

  @Test
  void sendsBothStreamsWhole() {
    run("j", "seq 1 50000; echo oops >&2");
    plane.awaitEnd("j");
    plane.send(Orders.message(Orders.readLogs("r", "j", PLENTY)));

    assertThat(awaitLast("r").getError()).isEmpty();
    assertThat(text("r", LogChunk.Stream.STREAM_STDOUT)).startsWith("1\n2\n").endsWith("50000\n");
    assertThat(text("r", LogChunk.Stream.STREAM_STDERR)).isEqualTo("oops\n");
    assertThat(chunks("r"))
        .allSatisfy(chunk -> assertThat(chunk.getData().size()).isLessThanOrEqualTo(65536));
  }

  @Test
  void sendsNoMoreThanItsReaderGranted() {
    run("j", "seq 1 50000");
    plane.awaitEnd("j");
    plane.send(Orders.message(Orders.readLogs("r", "j", 1000)));
    await()
        .during(Duration.ofMillis(300))
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> text("r", LogChunk.Stream.STREAM_STDOUT).length() == 1000);
    plane.send(Orders.message(Orders.readLogs("r", "j", 500)));
    await()
        .during(Duration.ofMillis(300))
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> text("r", LogChunk.Stream.STREAM_STDOUT).length() == 1500);
    plane.send(
        ConnectResponse.newBuilder().setCancelReadLogs(CancelReadLogs.newBuilder().setReadId("r")));
    assertThat(chunks("r")).noneMatch(LogChunk::getLast);
  }

  @Test
  void sendsTheTail() {
    run("j", "seq 1 50000");
    plane.awaitEnd("j");
    plane.send(Orders.message(Orders.readLogs("r", "j", PLENTY).setTailBytes(12)));

    awaitLast("r");
    assertThat(text("r", LogChunk.Stream.STREAM_STDOUT)).isEqualTo("49999\n50000\n");
  }

  /// The names come from the scheduler, the values go to the job, and asterisks to the reader.
  @Test
  void masksTheValuesOfTheVariablesThatTheSchedulerNames() {
    String value = "hunter2-hunter2";
    plane.send(
        Orders.message(
            Orders.assign(
                    plane.leadership,
                    "j",
                    "echo key=$KEY, proxy=$PROXY; echo $KEY >&2; echo ${#KEY}")
                .putEnvironment("KEY", value)
                .putEnvironment("PROXY", "proxy.example")
                .addMaskedVariables("KEY")));
    plane.awaitEnd("j");
    plane.send(Orders.message(Orders.readLogs("r", "j", PLENTY)));

    awaitLast("r");
    assertThat(text("r", LogChunk.Stream.STREAM_STDOUT))
        .isEqualTo("key=" + "*".repeat(value.length()) + ", proxy=proxy.example\n15\n");
    assertThat(text("r", LogChunk.Stream.STREAM_STDERR))
        .isEqualTo("*".repeat(value.length()) + "\n");
  }

  @Test
  void followsUntilTheEnd() throws Exception {
    run("j", "echo first; until [ -e $HEADGATE_CHECKPOINT_DIR/go ]; do :; done; echo last");
    plane.send(Orders.message(Orders.readLogs("r", "j", PLENTY).setFollow(true)));
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> text("r", LogChunk.Stream.STREAM_STDOUT).equals("first\n"));
    assertThat(chunks("r")).noneMatch(LogChunk::getLast);
    Files.createFile(root.resolve("n1/checkpoints/acme/j/go"));

    awaitLast("r");
    assertThat(text("r", LogChunk.Stream.STREAM_STDOUT)).isEqualTo("first\nlast\n");
  }

  @Test
  void keepsTheLogsOfForgottenAttempts() {
    run("j", "echo still here");
    plane.awaitEnd("j");
    plane.send(Orders.forget("j"));
    plane.send(Orders.message(Orders.readLogs("r", "j", PLENTY)));

    awaitLast("r");
    assertThat(text("r", LogChunk.Stream.STREAM_STDOUT)).isEqualTo("still here\n");
  }

  @Test
  void saysThatItHasNoOutputOfAnUnknownAttempt() {
    plane.send(Orders.message(Orders.readLogs("r", "nobody", PLENTY).setFollow(true)));

    assertThat(awaitLast("r").getError()).isEqualTo("this machine has no output of the attempt");
  }

  @Test
  void losesNoMoreThanAReaderToAJobThatTouchesItsFiles() throws Exception {
    run("j", "echo done; exec sleep 1000");
    // As a job can that no walls keep from there.
    Path spec = root.resolve("n1/attempts/acme.j.1.0/spec");
    Files.writeString(spec, "log_segment_bytes=0\n");
    plane.send(Orders.message(Orders.readLogs("r", "j", PLENTY)));

    assertThat(awaitLast("r").getError()).contains("is damaged");
    Files.delete(spec);
    new ProcessBuilder("mkfifo", spec.toString()).start().waitFor();
    plane.send(Orders.message(Orders.readLogs("fifo", "j", PLENTY)));
    assertThat(awaitLast("fifo").getError()).contains("is not a plain file");
    assertThat(plane.hellos).hasSize(1);
  }
}
