package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.process.DiskQuota;
import io.headgate.agent.process.NeededWalls;
import io.headgate.agent.process.QuotaDisk;
import io.headgate.agent.process.SupervisorBinary;
import io.headgate.kit.config.Secret;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.TestJvm;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.agent.v1.AttemptReport;
import io.headgate.proto.agent.v1.Stop;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The disk space of jobs of a whole agent, on a real file system with project quotas.
class JobDiskTest {
  private static final int FIRST = WallsConfig.DEFAULTS.firstUser();
  private static final int COUNT = WallsConfig.DEFAULTS.userCount();

  @TempDir Path root;
  private final FakeControlPlane plane = new FakeControlPlane();
  private final List<Process> processes = new ArrayList<>();
  private Optional<NodeAgent> agent = Optional.empty();
  private Optional<QuotaDisk> mounted = Optional.empty();
  private Path disk = Path.of("");

  @BeforeEach
  void mount() throws Exception {
    NeededWalls.demand(Files.createDirectory(root.resolve("walls")));
    mounted = Optional.of(QuotaDisk.mount(root));
    disk = mounted.get().directory();
  }

  @AfterEach
  void stop() throws Exception {
    agent.ifPresent(running -> running.stopJobsAndClose(FakeControlPlane.PATIENCE));
    for (Process process : processes) {
      process.destroyForcibly().waitFor();
    }
    plane.close();
    mounted.ifPresent(QuotaDisk::close);
  }

  private void start() {
    NodeAgent started =
        new NodeAgent(
            AgentConfig.of(disk.resolve("n1"), "n1", plane.uri())
                .withJoinToken(Secret.of(FakeControlPlane.JOIN_TOKEN)),
            Telemetry.disabled(),
            TimeSource.system());
    agent = Optional.of(started);
    started.start();
    await().atMost(FakeControlPlane.PATIENCE).until(started::isReady);
  }

  private void assign(String job, String script) {
    plane.send(Orders.message(Orders.assign(plane.leadership, job, script)));
  }

  private String output(String job, int lines) throws Exception {
    Path log = disk.resolve("n1/attempts/acme.%s.1.0/logs/stdout.0".formatted(job));
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> Files.exists(log) && Files.readAllLines(log).size() >= lines);
    return Files.readString(log).strip();
  }

  private DiskQuota quota() throws IOException {
    Path programs = Files.createDirectories(root.resolve("programs"));
    return new DiskQuota(SupervisorBinary.extract(programs), FIRST, COUNT, disk);
  }

  /// The space that jobs have now; 0 when no project is left.
  private long ofJobs() throws IOException {
    long room = quota().room().bytes();
    return room - Files.getFileStore(disk).getUsableSpace();
  }

  @Test
  void itsProjectIsFreeAfterItsEnd() throws Exception {
    start();
    assertThat(ofJobs()).isZero();
    assign(
        "j",
        "head -c 5M /dev/zero > mine; cp mine $HEADGATE_CHECKPOINT_DIR; echo up; exec sleep 1000");
    output("j", 1);
    assertThat(ofJobs()).isGreaterThan(10L << 20);
    plane.send(Orders.stop(plane.leadership, "j", Stop.Kind.KIND_CANCEL));
    plane.awaitEnd("j");
    assertThat(ofJobs()).isZero();
    assertThat(disk.resolve("n1/attempts/acme.j.1.0/work/mine")).hasSize(5 << 20);
    assertThat(disk.resolve("n1/checkpoints/acme/j/mine")).hasSize(5 << 20);
    plane.send(
        Orders.message(
            Orders.assign(
                    plane.leadership,
                    "j",
                    "rm $HEADGATE_CHECKPOINT_DIR/mine; echo gone; exec sleep 1000")
                .setAttempt(2)));
    await()
        .atMost(FakeControlPlane.PATIENCE)
        .until(() -> Files.notExists(disk.resolve("n1/checkpoints/acme/j/mine")));
    assertThat(ofJobs()).as("its next attempt has a project again").isPositive();
  }

  @Test
  void nothingLeaksThroughAKilledAgent() throws Exception {
    launch();
    assign("j", "head -c 5M /dev/zero > mine; echo up; while [ ! -e go ]; do sleep 0.1; done");
    output("j", 1);
    assertThat(ofJobs()).isGreaterThan(4L << 20);
    processes.getFirst().destroyForcibly().waitFor();
    launch();
    assertThat(ofJobs()).as("the job is limited as before").isGreaterThan(4L << 20);
    Files.createFile(disk.resolve("n1/attempts/acme.j.1.0/work/go"));
    AttemptReport end = plane.awaitEnd("j");
    assertThat(end.getExitCode()).isZero();
    assertThat(ofJobs()).isZero();
  }

  private void launch() throws Exception {
    int before = plane.hellos.size();
    Path token = Files.writeString(root.resolve("token"), FakeControlPlane.JOIN_TOKEN + "\n");
    List<String> command = TestJvm.command();
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            AgentMain.class.getName(),
            "--data",
            disk.resolve("n1").toString(),
            "--node=n1",
            "--server",
            plane.uri().toString(),
            "--join-token-file",
            token.toString()));
    processes.addFirst(
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(new File(root + "/agent.log")))
            .start());
    await().atMost(FakeControlPlane.PATIENCE).until(() -> plane.hellos.size() > before);
  }
}
