package io.headgate.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.headgate.kit.testing.Needed;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The log keeps the newest output of a job, and no job can redirect its reader to other files.
class SupervisorLogTest {
  private static final AttemptLogs.Stream OUT = AttemptLogs.Stream.STDOUT;

  @TempDir Path root;
  private SupervisedJob job;

  @BeforeEach
  void makeJob() throws IOException {
    job = new SupervisedJob(root);
  }

  @AfterEach
  void endJob() throws IOException {
    job.close();
  }

  @Test
  void keepsTheNewestOutputWithinItsBound() throws Exception {
    job.logs(1024, 3).run("for i in {1..1000}; do echo line $i; done").awaitEnd();

    try (var files = Files.list(job.attempt.resolve("logs"))) {
      assertThat(files.toList())
          .hasSize(3)
          .allSatisfy(file -> assertThat(Files.size(file)).isLessThanOrEqualTo(1024));
    }
    assertThat(job.output()).endsWith("line 999\nline 1000\n").doesNotContain("line 1\n");
  }

  @Test
  void tellsAReaderWhatItMissedAndWhereItIs() throws Exception {
    job.logs(1024, 3).run("for i in {1..1000}; do echo line $i; done").awaitEnd();
    int total = "line \n".length() * 1000 + 9 + 2 * 90 + 3 * 900 + 4;

    try (AttemptLogs logs = AttemptLogs.open(job.attempt).orElseThrow()) {
      AttemptLogs.Piece first = logs.read(OUT, 0, 100).orElseThrow();
      assertThat(first.gap()).isTrue();
      assertThat(first.offset()).isEqualTo((total / 1024 - 2) * 1024L);
      assertThat(first.bytes().remaining()).isEqualTo(100);
      AttemptLogs.Piece second = logs.read(OUT, first.endOffset(), 5000).orElseThrow();
      assertThat(second.gap()).isFalse();
      assertThat(second.offset()).isEqualTo(first.offset() + 100);
      long tail = logs.tailOffset(OUT, 10);
      assertThat(text(logs.read(OUT, tail, 5000))).isEqualTo("line 1000\n");
      assertThat(tail).isEqualTo(total - 10);
      assertThat(logs.read(OUT, total, 5000)).isEmpty();
    }
  }

  @Test
  void neitherFailsNorHoldsUpAJobWhenTheDiskIsFull() throws Exception {
    Path disk = Files.createDirectory(root.resolve("disk"));
    Needed.MOUNTS.demand(sh("mount -t tmpfs -o size=400k tmpfs " + disk) == 0);
    try (SupervisedJob full = new SupervisedJob(root, disk)) {
      full.run(
              """
              dd if=/dev/zero of=ballast bs=4096 2>/dev/null
              head -c 300000 /dev/zero | tr '\\0' x
              truncate -s 4096 ballast
              echo; echo last words
              until grep -q 'last words' logs/stdout.0; do read -t 0.02 <> <(:); done 2>/dev/null
              dd if=/dev/zero of=ballast bs=4096 oflag=append conv=notrunc 2>/dev/null
              exit 5
              """)
          .awaitEnd();

      assertThat(full.status().observation().ending().orElseThrow().exitCode()).hasValue(5);
      assertThat(full.output())
          .containsPattern("\\[headgate: \\d+ bytes of output lost, disk full]\n")
          .contains("last words\n");
    } finally {
      assertThat(sh("umount " + disk)).isZero();
    }
  }

  @Test
  void readsNothingThatIsNotTheLogItself() throws Exception {
    job.run("echo mine").awaitEnd();
    Path secret = Files.writeString(root.resolve("secret"), "not for you");
    Path log = job.attempt.resolve("logs/stdout.0");
    List<String> disguises =
        List.of("ln -s " + secret, "ln " + secret, "ln -s /dev/zero", "mkfifo", "mkdir");
    for (String disguise : disguises) {
      Files.deleteIfExists(log);
      assertThat(sh(disguise + " " + log)).isZero();
      try (AttemptLogs logs = AttemptLogs.open(job.attempt).orElseThrow()) {
        assertThatIOException().as(disguise).isThrownBy(() -> logs.read(OUT, 0, 100));
      }
    }
  }

  @Test
  void isNotTrickedByAFileThatIsSwappedWhileItIsRead() throws Exception {
    job.run("echo mine").awaitEnd();
    Path log = job.attempt.resolve("logs/stdout.0");
    Path secret = Files.writeString(root.resolve("secret"), "not for you");
    Path kept = Files.copy(log, root.resolve("kept"));
    Path pipe = root.resolve("pipe");
    assertThat(sh("mkfifo " + pipe)).isZero();
    Path next = root.resolve("next");
    var done = new AtomicBoolean();
    CompletableFuture<Void> swapping =
        CompletableFuture.runAsync(() -> {
          while (!done.get()) {
            swap(() -> Files.createSymbolicLink(next, secret), next, log);
            swap(() -> Files.copy(kept, next), next, log);
            swap(() -> Files.createLink(next, pipe), next, log);
          }
        });
    int read = 0;
    // On a busy machine the swapping thread may pause for a while.
    long patience = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    try (AttemptLogs logs = AttemptLogs.open(job.attempt).orElseThrow()) {
      for (int i = 0; i < 10_000 || (read == 0 && System.nanoTime() < patience); i++) {
        try {
          Optional<AttemptLogs.Piece> piece = logs.read(OUT, 0, 100);
          if (piece.isPresent()) {
            assertThat(text(piece)).isEqualTo("mine\n");
            read++;
          }
        } catch (IOException refused) {
          assertThat(refused).isNotNull();
        }
      }
    } finally {
      done.set(true);
      swapping.join();
    }
    assertThat(read).as("the genuine file was met too").isPositive();
  }

  /// Puts what `made` leaves at `next` in the place of `log`, in one step as a rename is.
  private static void swap(Callable<Path> made, Path next, Path log) {
    try {
      made.call();
      Files.move(next, log, StandardCopyOption.ATOMIC_MOVE);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static String text(Optional<AttemptLogs.Piece> piece) {
    return StandardCharsets.UTF_8.decode(piece.orElseThrow().bytes().duplicate()).toString();
  }

  private static int sh(String command) throws IOException, InterruptedException {
    return new ProcessBuilder("sh", "-c", command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }
}
