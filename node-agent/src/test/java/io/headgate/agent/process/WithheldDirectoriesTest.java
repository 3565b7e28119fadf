package io.headgate.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A job never finds the roots of checkpoints, whatever becomes of their file systems.
class WithheldDirectoriesTest {
  private static final int USER = 1_900_000_321;

  @TempDir Path directory;
  private final TestMounts mounts = new TestMounts();

  /// Not below /tmp, because each job has a /tmp of its own.
  private Path machine;

  @BeforeEach
  void makeMachine() throws Exception {
    NeededWalls.demand(directory);
    machine = Files.createTempDirectory(Path.of("/run"), "headgate-withheld");
    mounts.mount("-t", "tmpfs", "tmpfs", machine.toString());
    // As systemd mounts a machine's /: what is mounted later reaches the mounts of jobs.
    mounts.mount("--make-shared", machine.toString());
  }

  @AfterEach
  void removeMachine() throws Exception {
    mounts.close();
    if (machine != null) {
      Files.delete(machine);
    }
  }

  private SupervisedJob job(Path... withheld) throws IOException {
    SupervisedJob job = new SupervisedJob(directory);
    Path work = ownDirectory(job, "work");
    return job.directory(work)
        .walls(
            new Walls(
                OptionalInt.of(USER),
                Walls.Namespaces.SHARED_NETWORK,
                new Walls.FileSystem(
                    Optional.empty(),
                    Optional.of(ownDirectory(job, "tmp")),
                    Optional.of(ownDirectory(job, "var-tmp")),
                    Optional.empty(),
                    List.of(withheld),
                    List.of(directory),
                    List.of(work),
                    List.of()),
                List.of(),
                new Walls.Fence.Absent(),
                false,
                true,
                List.of(),
                new Walls.Limits(0, 0)));
  }

  private static Path ownDirectory(SupervisedJob job, String name) throws IOException {
    Path directory = Files.createDirectory(job.attempt.resolve(name));
    Files.setAttribute(directory, "unix:uid", USER);
    Files.setAttribute(directory, "unix:gid", USER);
    return directory;
  }

  private static Path open(Path directory) throws IOException {
    Files.createDirectories(directory);
    return Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /// The output of a job that lists the directory after a change of the machine.
  private static String foundAfter(SupervisedJob job, Path place, MachineChange change)
      throws Exception {
    try (job) {
      job.run("mkfifo go; read -r _ < go; ls -A %s; echo end".formatted(place));
      Path go = job.attempt.resolve("work/go");
      await().atMost(SupervisedJob.PATIENCE).until(() -> Files.exists(go));
      change.make();
      Files.writeString(go, "\n");
      assertThat(job.awaitEnd().exitCode()).hasValue(0);
      return job.output();
    }
  }

  private interface MachineChange {
    void make() throws Exception;
  }

  @Test
  void aStorageThatIsThereIsEmptyForTheJobAndTheRestOfItsDiskIsNot() throws Exception {
    open(machine.resolve("nfs/checkpoints/acme"));
    open(machine.resolve("nfs/datasets"));
    assertThat(
            foundAfter(
                job(machine.resolve("nfs/checkpoints")),
                machine.resolve("nfs/checkpoints"),
                () -> {}))
        .isEqualTo("end\n");
    assertThat(
            foundAfter(job(machine.resolve("nfs/checkpoints")), machine.resolve("nfs"), () -> {}))
        .isEqualTo("checkpoints\ndatasets\nend\n");
  }

  @Test
  void aStorageThatComesBackWhileTheJobRunsStaysAway() throws Exception {
    Path nfs = open(machine.resolve("nfs"));
    Path checkpoints = nfs.resolve("checkpoints");
    assertThat(
            foundAfter(
                job(checkpoints),
                nfs,
                () -> {
                  mounts.mount("-t", "tmpfs", "tmpfs", nfs.toString());
                  open(checkpoints.resolve("acme"));
                }))
        .isEqualTo("end\n");
    assertThat(checkpoints.resolve("acme")).exists();
  }

  @Test
  void aStorageThatDoesNotAnswerOrIsStaleKeepsNoJobFromItsStart() throws Exception {
    assumeThat(Files.isWritable(Path.of("/dev/fuse"))).isTrue();
    Path hung = open(machine.resolve("hung"));
    Path other = open(machine.resolve("other/acme")).getParent();
    // A file system whose server neither answers nor ends; it is stale once the server has ended.
    Process server =
        new ProcessBuilder(
                "bash",
                "-c",
                "exec 3<>/dev/fuse; mount -i -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 hung %s && echo up; read -r _"
                    .formatted(hung))
            .start();
    try {
      mounts.add(hung.toString());
      assertThat(server.inputReader().readLine()).isEqualTo("up");
      assertThat(foundAfter(job(hung.resolve("checkpoints"), other), other, () -> {}))
          .isEqualTo("end\n");
    } finally {
      server.destroy();
      server.waitFor();
    }
    assertThat(foundAfter(job(hung.resolve("checkpoints"), other), hung, () -> {}))
        .isEqualTo("end\n");
  }
}
