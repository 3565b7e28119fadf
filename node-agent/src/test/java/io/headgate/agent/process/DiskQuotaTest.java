package io.headgate.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The disk space of jobs behind walls, on a real file system with project quotas.
class DiskQuotaTest {
  private static final int ADA = 1_990_000_001;
  private static final int BOB = 1_990_000_002;
  private static final int FIRST = 1_990_000_000;
  private static final long MIB = 1L << 20;
  private static final DiskQuota.Space LITTLE = new DiskQuota.Space(20 * MIB, 100);

  @TempDir Path root;
  private Optional<QuotaDisk> disk = Optional.empty();
  private Path mounted = Path.of("");
  private DiskQuota quota;

  @BeforeEach
  void mount() throws Exception {
    NeededWalls.demand(Files.createDirectory(root.resolve("walls")));
    disk = Optional.of(QuotaDisk.mount(root));
    mounted = disk.get().directory();
    Path program = SupervisorBinary.extract(Files.createDirectory(root.resolve("programs")));
    quota = new DiskQuota(program, FIRST, 1000, mounted);
  }

  @AfterEach
  void unmount() {
    disk.ifPresent(QuotaDisk::close);
  }

  /// A job of this user whose directories are limited.
  private SupervisedJob job(int user) throws Exception {
    SupervisedJob job = new SupervisedJob(root, mounted);
    List<Path> directories = directories(job);
    for (Path directory : directories) {
      Files.createDirectory(directory);
      Files.setAttribute(directory, "unix:uid", user);
      Files.setAttribute(directory, "unix:gid", user);
    }
    quota.limit(user, LITTLE, directories);
    return job.directory(directories.getFirst())
        .walls(
            new Walls(
                OptionalInt.of(user),
                Walls.Namespaces.SHARED_NETWORK,
                new Walls.FileSystem(
                    Optional.empty(),
                    Optional.of(directories.get(1)),
                    Optional.of(directories.get(2)),
                    Optional.empty(),
                    List.of(),
                    List.of(),
                    List.of(directories.getFirst()),
                    List.of()),
                List.of(),
                new Walls.Fence.Absent(),
                false,
                true,
                List.of(),
                new Walls.Limits(0, 0)));
  }

  private static List<Path> directories(SupervisedJob job) {
    return List.of(
        job.attempt.resolve("work"), job.attempt.resolve("tmp"), job.attempt.resolve("var-tmp"));
  }

  /// The space that jobs have now; 0 when no project is left.
  private long ofJobs() throws IOException {
    return quota.room().bytes() - Files.getFileStore(mounted).getUsableSpace();
  }

  @Test
  void itsQuotasWork() throws Exception {
    assertThat(quota.problem()).isEmpty();
    assertThat(mounted.resolve("lost+found")).as("nothing else is left there").exists();
    try (var left = Files.list(mounted)) {
      assertThat(left).hasSize(1);
    }
  }

  @Test
  void aGreedyJobIsRefusedSpaceAndItsNeighbourWritesOn() throws Exception {
    try (SupervisedJob ada =
        job(ADA)
            .run(
                """
                exec /usr/bin/python3 -c '
                import errno, fcntl, os
                def fill(path):
                  written = 0
                  try:
                    with open(path, "wb", buffering=0) as file:
                      while True:
                        written += file.write(bytes(1 << 18))
                  except OSError as e:
                    return written, errno.errorcode[e.errno]
                here, end = fill("big")
                print(end, 15 << 20 < here <= 20 << 20)
                # Its other directories count, too.
                print(*[fill(path)[0] < 1 << 20 for path in ("/tmp/more", "/var/tmp/more")])
                # Another project for a file, or a directory whose files inherit none.
                for request, argument in ((0x401c5820, 28), (0x40086602, 8)):
                  try:
                    fcntl.ioctl(os.open("big", os.O_RDONLY), request, bytearray(argument))
                    print("escaped")
                  except OSError as e:
                    print(errno.errorcode[e.errno])
                print("full", flush=True)
                import time
                time.sleep(1000)'
                """)) {
      ada.awaitOutput("full");
      assertThat(ada.output()).isEqualTo("EDQUOT True\nTrue True\nEPERM\nEPERM\nfull\n");
      try (SupervisedJob bob =
          job(BOB)
              .run(
                  """
                  head -c 10M /dev/zero > mine && stat -c %s mine
                  head -c 5M /dev/zero > /tmp/t && echo on
                  """)) {
        assertThat(bob.awaitEnd().exitCode()).hasValue(0);
        assertThat(bob.output()).isEqualTo("10485760\non\n");
      }
    }
  }

  @Test
  void limitsTheNumberOfFilesToo() throws Exception {
    try (SupervisedJob ada =
        job(ADA)
            .run(
                """
                exec /usr/bin/python3 -c '
                import errno, os
                made = 0
                try:
                  while made < 1000:
                    os.close(os.open(f"f{made}", os.O_CREAT | os.O_WRONLY))
                    made += 1
                except OSError as e:
                  print(errno.errorcode[e.errno], 90 < made < 100)'
                """)) {
      ada.awaitEnd();
      assertThat(ada.output()).isEqualTo("EDQUOT True\n");
    }
  }

  @Test
  void itsFilesBelongToNoProjectAfterwards() throws Exception {
    assertThat(ofJobs()).isZero();
    List<Path> directories;
    try (SupervisedJob ada =
        job(ADA).run("mkdir -p a/b; head -c 5M /dev/zero > a/b/c; ln -s a l; mkfifo p")) {
      assertThat(ada.awaitEnd().exitCode()).hasValue(0);
      directories = directories(ada);
      assertThat(ofJobs()).isGreaterThan(5 * MIB - 1);
      quota.free(directories);
      assertThat(directories.getFirst().resolve("a/b/c")).hasSize(5 * MIB);
      assertThat(ofJobs()).as("but for a link and a pipe").isLessThan(64 << 10);
    }
    quota.free(directories);
    quota.limit(ADA, LITTLE, directories);
    assertThat(ofJobs()).as("limited again, with all that is there").isGreaterThan(4 * MIB);
    quota.free(directories);
  }

  /// An agent may be killed between a limit and the first directory of an attempt.
  @Test
  void aLimitWithoutADirectoryIsSweptAndItsProjectFree() throws Exception {
    Path lost = Files.createDirectory(mounted.resolve("lost"));
    quota.limit(ADA, LITTLE, List.of(lost));
    int project = project(lost);
    assertThat(project).isEqualTo(ADA);
    Files.delete(lost);
    Path other = Files.createDirectory(mounted.resolve("other"));
    quota.limit(ADA, LITTLE, List.of(other));
    assertThat(project(other)).as("a limited project is in use").isNotEqualTo(project);
    quota.sweep();
    assertThat(project(other)).as("one with a directory stays").isNotZero();
    Path next = Files.createDirectory(mounted.resolve("next"));
    quota.limit(ADA, LITTLE, List.of(next));
    assertThat(project(next)).isEqualTo(project);
  }

  @Test
  void saysWhyAFileSystemHasNone() throws Exception {
    Path elsewhere = Files.createDirectory(Path.of("/dev/shm", root.getFileName().toString()));
    try {
      Path program = SupervisorBinary.extract(root.resolve("programs"));
      DiskQuota none = new DiskQuota(program, FIRST, 1000, elsewhere);
      assertThat(none.problem())
          .hasValueSatisfying(
              why -> assertThat(why).contains("its file system has no project quotas"));
      assertThatIOException()
          .isThrownBy(() -> none.limit(ADA, LITTLE, List.of(elsewhere)))
          .withMessageStartingWith("cannot limit the disk space of a job: ");
    } finally {
      Files.delete(elsewhere);
    }
  }

  private static int project(Path directory) throws Exception {
    Process list =
        new ProcessBuilder("lsattr", "-pd", directory.toString()).redirectErrorStream(true).start();
    try (var lines = list.inputReader().lines()) {
      String[] words = lines.findFirst().orElseThrow().strip().split(" +", 2);
      return Integer.parseInt(words[0]);
    } finally {
      list.waitFor();
    }
  }
}
