package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.process.TestMounts;
import io.headgate.agent.process.Trees;
import io.headgate.agent.runtime.host.JobWalls.Wanted;
import io.headgate.kit.config.Secret;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.Needed;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.agent.v1.Assign;
import io.headgate.proto.agent.v1.AttemptReport;
import io.headgate.proto.agent.v1.AttemptReport.EndReason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checkpoint directories on storage that the operator of a machine named.
class StorageTest {
  private static final Path RUN = Path.of("/run");

  @TempDir Path root;
  private Path shared;
  private final List<FakeControlPlane> planes = new ArrayList<>();
  private final List<NodeAgent> agents = new ArrayList<>();

  /// An agent of its own machine, and the scheduler that it listens to.
  private record Node(String name, FakeControlPlane plane, Path data) {
    Assign.Builder assign(String job, int attempt, String script) {
      return Orders.assign(plane.leadership, job, script)
          .setAttempt(attempt)
          .setResume(attempt > 1);
    }

    AttemptReport run(Assign.Builder assign) {
      plane.send(Orders.message(assign));
      String job = assign.getJob();
      return plane.awaitReport(
          job.substring(job.lastIndexOf('/') + 1),
          report ->
              report.getState() == AttemptReport.State.STATE_ENDED
                  && report.getAttempt() == assign.getAttempt());
    }

    String printed(String job, int attempt, String stream) throws IOException {
      Path log = data.resolve("attempts/acme.%s.%d.0/logs/%s.0".formatted(job, attempt, stream));
      return Files.exists(log) ? Files.readString(log) : "";
    }
  }

  @BeforeEach
  void makeStorage() throws IOException {
    shared = Files.createDirectories(root.resolve("mnt/shared"));
  }

  @AfterEach
  void stop() {
    agents.forEach(agent -> agent.stopJobsAndClose(FakeControlPlane.PATIENCE));
    planes.forEach(FakeControlPlane::close);
  }

  private Node start(String name, WallsConfig walls, Map<String, Path> storages) {
    FakeControlPlane plane = new FakeControlPlane();
    planes.add(plane);
    Path data = root.resolve(name);
    NodeAgent agent =
        new NodeAgent(
            AgentConfig.of(data, name, plane.uri())
                .withJoinToken(Secret.of(FakeControlPlane.JOIN_TOKEN))
                .withWalls(walls)
                .withStorages(storages),
            Telemetry.disabled(),
            TimeSource.system());
    agents.add(agent);
    agent.start();
    await().atMost(FakeControlPlane.PATIENCE).until(agent::isReady);
    return new Node(name, plane, data);
  }

  private Node start(String name, Map<String, Path> storages) {
    return start(name, TestConfigs.walls(Wanted.NONE), storages);
  }

  @Test
  void aJobFindsItsCheckpointOnAnotherNodeOfTheSameStorage() throws Exception {
    Node first = start("n1", Map.of("shared", shared));
    Node second = start("n2", Map.of("other", root.resolve("other"), "shared", shared));
    assertThat(second.plane().registrations.getLast().getStoragesList())
        .containsExactly("other", "shared");

    first.run(
        first.assign("train", 1, "echo 17 > $HEADGATE_CHECKPOINT_DIR/epoch").setStorage("shared"));
    assertThat(shared.resolve("acme/train/epoch")).hasContent("17\n");
    second.run(
        second
            .assign("train", 2, "echo resume=$HEADGATE_RESUME; cat $HEADGATE_CHECKPOINT_DIR/epoch")
            .setStorage("shared"));
    assertThat(second.printed("train", 2, "stdout")).isEqualTo("resume=1\n17\n");
    assertThat(second.printed("train", 2, "stderr")).isEmpty();
  }

  @Test
  void aJobThatMovesToAPoolOfOtherStorageBeginsAnewAndSaysSo() throws Exception {
    Node node = start("n1", Map.of("shared", shared));
    node.run(node.assign("moved", 1, "touch $HEADGATE_CHECKPOINT_DIR/epoch").setStorage("shared"));
    node.run(node.assign("moved", 2, "echo resume=$HEADGATE_RESUME"));
    assertThat(node.printed("moved", 2, "stdout")).isEqualTo("resume=\n");
    assertThat(node.printed("moved", 2, "stderr"))
        .isEqualTo(
            "[headgate: attempt 2 begins anew: %s on this node has no checkpoint of an earlier attempt]\n"
                .formatted(node.data().resolve("checkpoints/acme/moved")));
  }

  @Test
  void aNodeWithoutTheStorageRejectsTheAttemptAndMakesNoDirectory() throws Exception {
    Path unmounted = root.resolve("mnt/unmounted");
    Node node = start("n1", Map.of("unmounted", unmounted));
    AttemptReport unnamed = node.run(node.assign("a", 1, "true").setStorage("shared"));
    assertThat(unnamed.getEndReason()).isEqualTo(EndReason.END_REASON_REJECTED);
    assertThat(unnamed.getError())
        .isEqualTo("this node has no path for storage shared (agent.storages)");
    AttemptReport missing = node.run(node.assign("b", 1, "true").setStorage("unmounted"));
    assertThat(missing.getEndReason()).isEqualTo(EndReason.END_REASON_REJECTED);
    assertThat(missing.getError())
        .isEqualTo(
            "storage unmounted is not there: %s is no directory (agent.storages)"
                .formatted(unmounted));
    assertThat(unmounted).doesNotExist();
    assertThat(node.data().resolve("checkpoints/acme")).doesNotExist();
  }

  @Test
  void aStorageThatRefusesIsTheNodesFault() throws Exception {
    Files.writeString(shared.resolve("acme"), "no directory");
    Node node = start("n1", Map.of("shared", shared));
    AttemptReport report = node.run(node.assign("a", 1, "true").setStorage("shared"));
    assertThat(report.getEndReason()).isEqualTo(EndReason.END_REASON_REJECTED);
    assertThat(report.getError())
        .isEqualTo(
            "storage shared does not work here: java.nio.file.FileAlreadyExistsException: %s"
                .formatted(shared.resolve("acme")));
  }

  @Test
  void aStorageThatLeavesOwnersAsTheyAreIsTheNodesFault() throws Exception {
    Path fixed = Files.createDirectories(root.resolve("mnt/fixed"));
    Node node;
    try {
      node = start("n1", TestConfigs.walls(Wanted.REQUIRED), Map.of("fixed", fixed));
    } catch (UncheckedIOException _) {
      Needed.WALLS.demand(false);
      return;
    }
    try (TestMounts mounts = new TestMounts()) {
      mounts.mount("-t", "tmpfs", "tmpfs", fixed.toString());
      Files.createDirectories(fixed.resolve("acme/a"));
      mounts.mount("-o", "remount,ro", fixed.toString());
      AttemptReport report = node.run(node.assign("a", 1, "true").setStorage("fixed"));
      assertThat(report.getEndReason()).isEqualTo(EndReason.END_REASON_REJECTED);
      assertThat(report.getError())
          .isEqualTo("cannot change the owner of the job's directories: Read-only file system");
      AttemptReport none = node.run(node.assign("b", 1, "true").setStorage("fixed"));
      assertThat(none.getEndReason()).isEqualTo(EndReason.END_REASON_REJECTED);
      assertThat(none.getError()).contains("storage fixed does not work here", "Read-only");
    }
  }

  @Test
  void wallsHideTheDirectoriesOfOtherJobsOnEachStorage() throws Exception {
    Needed.ROOT.demand(Files.isWritable(RUN));
    // Jobs see it, unlike directories of the test: they have a /tmp of their own.
    Path machine = open(Files.createTempDirectory(RUN, "headgate-storage"));
    try {
      Path first = open(Files.createDirectory(machine.resolve("first")));
      Path second = open(Files.createDirectory(machine.resolve("second")));
      for (Path storage : List.of(first, second)) {
        open(
            Files.createDirectory(
                open(Files.createDirectory(storage.resolve("other"))).resolve("secret")));
      }
      Node node;
      try {
        node =
            start(
                "n1", TestConfigs.walls(Wanted.REQUIRED), Map.of("first", first, "second", second));
      } catch (UncheckedIOException _) {
        Needed.WALLS.demand(false);
        return;
      }
      node.run(
          node.assign(
                  "curious",
                  1,
                  "ls -A %s/other %s/other; ls -A %s/acme; touch $HEADGATE_CHECKPOINT_DIR/own"
                      .formatted(first, second, first))
              .setStorage("first"));
      assertThat(node.printed("curious", 1, "stdout")).isEqualTo("curious\n");
      assertThat(first.resolve("acme/curious/own")).exists();
    } finally {
      Trees.delete(machine);
    }
  }

  /// Lets all users into the directory, so that only walls can hide what is below.
  private static Path open(Path directory) throws IOException {
    return Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
