package io.headgate.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.core.DeviceNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Jobs that have the files of an image, under a supervisor alone: real namespaces.
class ImageWallsTest {
  private static final int USER = 1_990_000_003;

  /// Exists on every Linux and is no job's.
  private static final DeviceNode FUSE = new DeviceNode("nvidia0", 10, 229);

  @TempDir Path root;
  private Path image;
  private Path outside;

  @BeforeEach
  void needWalls() throws Exception {
    NeededWalls.demand(root);
    image = Files.createDirectory(root.resolve("image"));
    outside = Files.createDirectory(root.resolve("outside"));
  }

  private SupervisedJob job() throws Exception {
    SupervisedJob job = new SupervisedJob(root);
    Path work = ownDirectory(job, "work");
    List<Path> lent =
        Stream.of("/bin", "/usr", "/lib", "/lib64", "/etc/hosts")
            .map(Path::of)
            .filter(Files::exists)
            .toList();
    return job.directory(work)
        .walls(
            new Walls(
                OptionalInt.of(USER),
                Walls.Namespaces.SHARED_NETWORK,
                new Walls.FileSystem(
                    Optional.of(new Walls.Root(image, lent)),
                    Optional.of(ownDirectory(job, "tmp")),
                    Optional.of(ownDirectory(job, "var-tmp")),
                    Optional.empty(),
                    List.of(),
                    List.of(root),
                    List.of(work),
                    List.of()),
                List.of(FUSE),
                new Walls.Fence.Absent(),
                false,
                true,
                List.of(),
                new Walls.Limits(5000, 200)));
  }

  private static Path ownDirectory(SupervisedJob job, String name) throws IOException {
    Path directory = Files.createDirectory(job.attempt.resolve(name));
    Files.setAttribute(directory, "unix:uid", USER);
    Files.setAttribute(directory, "unix:gid", USER);
    return directory;
  }

  /// Where a link in the image has to lead to be outside of it.
  private Path upwards(Path path) {
    return Path.of("/../../../../../../../..").resolve(path.toString().substring(1));
  }

  @Test
  void isMadeOfTheImageAndWhatIsLent() throws Exception {
    Files.writeString(image.resolve("of-image"), "here");
    try (SupervisedJob job =
        job()
            .run(
                """
                cat /of-image; echo; ls /dev | tr '\\n' ' '; echo; cat /etc/hosts > /dev/null && echo hosts
                echo x > /etc/hosts; echo x > /of-image; echo x > /new; mkdir /usr/new; echo x > /sys/x
                echo mine > /tmp/a && echo mine > /dev/shm/a && echo mine > a && echo written
                """)) {
      assertThat(job.awaitEnd().exitCode()).hasValue(0);
      assertThat(job.output().lines())
          .containsExactly(
              "here",
              "fd full mqueue null nvidia0 ptmx pts random shm stderr stdin stdout tty urandom zero ",
              "hosts",
              "written");
    }
    assertThat(image.resolve("of-image")).hasContent("here");
    assertThat(image.resolve("new")).doesNotExist();
  }

  @Test
  void itsLinksLeadNowhereElse() throws Exception {
    Path file = Files.writeString(outside.resolve("file"), "untouched");
    Files.createDirectory(image.resolve("etc"));
    Files.createSymbolicLink(image.resolve("etc/hosts"), upwards(file));
    Files.createSymbolicLink(image.resolve("way-out"), upwards(outside));
    try (SupervisedJob job = job().run("wc -c < /etc/hosts; ls /way-out/ || echo nothing")) {
      job.awaitEnd();
      assertThat(job.output())
          .startsWith(Files.size(Path.of("/etc/hosts")) + "\n")
          .endsWith("nothing\n");
    }
    assertThat(file).hasContent("untouched");
  }

  @Test
  void doesNotStartWhereItsLinksWouldLeadElsewhere() throws Exception {
    for (String place : List.of("var", "dev", "proc", "sys", "tmp", "usr")) {
      image = Files.createDirectory(root.resolve("image-" + place));
      Files.createSymbolicLink(image.resolve(place), upwards(outside).resolve("made"));
      try (SupervisedJob job = job()) {
        assertThat(job.launch("true"))
            .isInstanceOfSatisfying(
                SupervisorLauncher.Result.Failed.class,
                failed ->
                    assertThat(failed.problem())
                        .startsWith("cannot raise the job's walls: /" + place));
      }
    }
    assertThat(outside).isEmptyDirectory();
  }

  @Test
  void itsCallbackRunsInsideAndItEndsWithItsLastContact() throws Exception {
    Files.writeString(image.resolve("of-image"), "here");
    try (SupervisedJob job =
        job()
            .callback("cat /of-image; echo; [ -e /home ] || echo inside $HEADGATE_STOP_REASON")
            .stopAfter(Duration.ofMillis(300))
            .grace(Duration.ofMillis(50))
            .run("trap '' TERM; setsid sleep 1000 & sleep 1000; sleep 1000")) {
      assertThat(job.awaitEnd().reason()).isEqualTo("stop-after");
      assertThat(job.output()).isEqualTo("here\ninside stop-after\n");
    }
  }
}
