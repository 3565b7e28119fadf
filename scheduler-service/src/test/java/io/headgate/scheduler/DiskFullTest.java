package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status.Code;
import io.headgate.kit.db.PostgresServer;
import io.headgate.kit.db.PostgresServer.Durability;
import io.headgate.kit.testing.Needed;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListJobsRequest;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Base64;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The disk under PostgreSQL's data is full. Skipped where a file system of its own may not be
/// mounted.
final class DiskFullTest {
  private static final SchedulerConfig.Leading TIMES =
      new SchedulerConfig.Leading(
          Duration.ofSeconds(6),
          Duration.ofMillis(200),
          Duration.ofMinutes(5),
          Duration.ofSeconds(2),
          Duration.ofSeconds(6));

  @TempDir private Path directory;
  private Path disk;
  private PostgresServer server;
  private Installation installation;

  @BeforeEach
  void start() throws Exception {
    disk = Files.createDirectory(directory.resolve("disk"));
    Needed.MOUNTS.demand(sh("mount -t tmpfs -o size=64m tmpfs " + disk) == 0);
    server = PostgresServer.start(directory.resolve("pg"), Durability.NONE);
    installation = new Installation(server.provision("headgate", "scheduler")).with(TIMES);
    asAdmin("create tablespace small location '" + disk + "'");
    asAdmin("alter database headgate set tablespace small");
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
  }

  @AfterEach
  void stop() throws Exception {
    if (installation != null) {
      installation.close();
    }
    if (server != null) {
      server.delete();
    }
    if (disk != null) {
      sh("umount " + disk);
    }
  }

  private static int sh(String command) throws IOException, InterruptedException {
    return new ProcessBuilder("sh", "-c", command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }

  private void asAdmin(String sql) throws IOException, SQLException {
    String password = Files.readString(directory.resolve("pg/password")).strip();
    try (Connection connection =
            DriverManager.getConnection(server.url("postgres"), "headgate", password);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private Path ballast() {
    return disk.resolve("ballast");
  }

  /// Takes whatever is free.
  private void fill() throws IOException {
    byte[] page = new byte[4096];
    try (var ballast = Files.newOutputStream(ballast(), StandardOpenOption.CREATE_NEW)) {
      while (disk.toFile().getUsableSpace() > 0) {
        ballast.write(page);
      }
    }
  }

  /// Too long for the free rest of the existing files.
  private static SubmitJobRequest large(String name) {
    byte[] noise = new byte[200_000];
    new Random(7).nextBytes(noise);
    SubmitJobRequest.Builder request =
        submit("rnd-3", name).toBuilder().setRequestId(UUID.randomUUID().toString());
    for (int i = 0; i < 10; i++) {
      request
          .getSpecBuilder()
          .putEnvironment(
              "NOISE_" + i,
              Base64.getEncoder().encodeToString(noise).substring(i * 20_000, (i + 1) * 20_000));
    }
    return request.build();
  }

  @Test
  void refusesWhatCannotBeStoredAndGoesOnWhenThereIsRoom() throws Exception {
    FakeAgent agent = installation.agent("a-0").connect();
    JobServiceBlockingStub alice = installation.alice();
    submit(alice, submit("rnd-3", "r-0"));
    awaitState(alice, "r-0", Job.State.STATE_RUNNING);
    fill();
    SubmitJobRequest large = large("r-1");
    Refused refused = Refused.by(() -> alice.submitJob(large));
    assertThat(refused.code()).as("may be tried again").isEqualTo(Code.UNAVAILABLE);
    assertThat(refused.refusal().reason()).isIn("LEADER_CHANGED", "NO_LEADER");
    assertThat(get(alice, "r-0").getState()).as("reads go on").isEqualTo(Job.State.STATE_RUNNING);

    Files.delete(ballast());
    FakeAgent.awaitThat(installation.service()::isLeading);
    installation.awaitReady("rnd-3");
    assertThat(submit(alice, large)).isEqualTo("r-1");
    agent.connect();
    awaitState(alice, "r-1", Job.State.STATE_RUNNING);
    assertThat(agent.begun().values()).as("each began once").containsOnly(1).hasSize(2);
    assertThat(get(alice, "r-0").getAttempt()).isEqualTo(1);
    assertThat(alice.listJobs(ListJobsRequest.newBuilder().setParent(ACME).build()).getJobsList())
        .hasSize(2);
  }
}
