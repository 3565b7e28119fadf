package io.headgate.agent.runtime.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.agent.core.Fixtures;
import io.headgate.agent.process.Trees;
import io.headgate.kit.testing.Needed;
import io.headgate.kit.testing.TestClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The agent's own records on a disk that jobs have filled, or whose directories jobs have closed.
class DiskTest {
  @TempDir Path root;
  private Path mounted = Path.of("");

  @AfterEach
  void unmount() throws Exception {
    if (!mounted.toString().isEmpty()) {
      sh("umount " + mounted);
    }
  }

  private void mount(Path directory, String size) throws Exception {
    Files.createDirectories(directory);
    Needed.MOUNTS.demand(sh("mount -t tmpfs -o size=" + size + " tmpfs " + directory) == 0);
    mounted = directory;
  }

  private static int sh(String command) throws IOException, InterruptedException {
    return new ProcessBuilder("sh", "-c", command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }

  /// Takes whatever is free.
  private static void fill(Path disk) throws IOException {
    byte[] page = new byte[4096];
    try (var ballast =
        Files.newOutputStream(
            disk.resolve("ballast"), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      while (disk.toFile().getUsableSpace() > 0) {
        ballast.write(page);
      }
    }
  }

  @Test
  void writesItsRecordsOnAFullDiskWhileJobsTakeWhateverBecomesFree() throws Exception {
    Path data = root.resolve("disk");
    mount(data, "3m");
    try (AttemptLedger ledger =
            AttemptLedger.open(data, "boot-1", new JobUsers(1_900_000_000, 1000));
        Outbox outbox = Outbox.open(data.resolve("outbox"), ledger.reserve())) {
      for (int i = 0; i < 8; i++) {
        fill(data);
        ledger.recordAssignment(Fixtures.assignment("j" + i), 0);
        outbox.append(Fixtures.endedReport("j" + i));
      }
      fill(data);
      assertThat(Files.size(data.resolve("reserve"))).isLessThan(DiskReserve.BYTES);
    }
    // Full as it is, an agent starts on it again.
    try (AttemptLedger ledger =
            AttemptLedger.open(data, "boot-1", new JobUsers(1_900_000_000, 1000));
        Outbox outbox = Outbox.open(data.resolve("outbox"), ledger.reserve())) {
      assertThat(ledger.recover(Fixtures.NOW).attempts()).hasSize(8);
      assertThat(outbox.after(0, 100)).hasSize(8);
      Files.delete(data.resolve("ballast"));
      ledger.recordEnd(Fixtures.endedReport("j0"));
      assertThat(data.resolve("reserve")).hasSize(DiskReserve.BYTES);
    }
  }

  @Test
  void keepsTheNamesOfAnOlderVersionAlthoughTheDiskIsTooFullToRecordThem() throws Exception {
    Path disk = root.resolve("disk");
    mount(disk, "256k");
    Path upgraded = Files.createDirectory(disk.resolve("upgraded"));
    Files.createDirectory(upgraded.resolve("attempts"));
    fill(disk);
    assertThat(AgentNames.load(upgraded).form()).isEqualTo(AgentNames.Form.HASH_32);
    assertThat(upgraded).isDirectoryNotContaining("glob:**names*");
    // Without a record, a directory that becomes used would get other names at the next start.
    assertThatThrownBy(() -> AgentNames.load(disk.resolve("fresh")))
        .isInstanceOf(UncheckedIOException.class);

    Files.delete(disk.resolve("ballast"));
    assertThat(AgentNames.load(upgraded).form()).isEqualTo(AgentNames.Form.HASH_32);
    assertThat(upgraded.resolve("names")).hasContent("form=HASH_32");
  }

  @Test
  void leavesNoHalfLineWhenNothingIsLeft() throws Exception {
    Path data = root.resolve("disk");
    mount(data, "256k");
    try (Outbox outbox =
        Outbox.open(data.resolve("outbox"), new DiskReserve(data.resolve("none")))) {
      outbox.append(Fixtures.runningReport("a"));
      assertThatIOException()
          .isThrownBy(() -> {
            while (true) {
              fill(data);
              outbox.append(Fixtures.runningReport("b"));
            }
          });
      Files.delete(data.resolve("ballast"));
      outbox.append(Fixtures.endedReport("a"));
      int kept = outbox.size();
      try (Outbox again =
          Outbox.open(data.resolve("outbox"), new DiskReserve(data.resolve("none")))) {
        assertThat(again.after(0, 100_000)).hasSize(kept);
        assertThat(again.after(0, 100_000).getLast().report()).isEqualTo(Fixtures.endedReport("a"));
      }
    }
  }

  @Test
  void deletesWhatItCanWhateverElseCannotBe() throws Exception {
    Path data = root.resolve("data");
    try (AttemptLedger ledger =
        AttemptLedger.open(data, "boot-1", new JobUsers(1_900_000_000, 1000))) {
      for (String job : new String[] {"a", "b", "c"}) {
        ledger.recordEnd(Fixtures.endedReport(job));
        Files.createDirectory(ledger.directory(Fixtures.key(job)).resolve("logs"));
        ledger.forget(Fixtures.key(job));
      }
      // The root of a file system cannot be deleted.
      mount(ledger.directory(Fixtures.key("b")).resolve("work"), "64k");
      TestClock clock = new TestClock();
      clock.setWall(Fixtures.NOW);
      new Retention(ledger, clock, new Retention.Limits(0, Duration.ofDays(7), Optional.empty()))
          .apply();

      assertThat(ledger.directory(Fixtures.key("a"))).doesNotExist();
      assertThat(ledger.directory(Fixtures.key("b"))).exists();
      assertThat(ledger.directory(Fixtures.key("c"))).doesNotExist();
    }
  }

  @Test
  void deletesDirectoriesThatTheirOwnerClosed() throws IOException {
    Path tree = Files.createDirectory(root.resolve("tree"));
    Path closed = Files.createDirectory(tree.resolve("closed"));
    Files.createFile(closed.resolve("file"));
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("---------"));
    Path cache = Files.createDirectory(tree.resolve("cache"));
    Files.createFile(cache.resolve("module"));
    Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("r-xr-xr-x"));
    Files.createSymbolicLink(tree.resolve("link"), Path.of("nowhere"));

    Trees.delete(tree);
    assertThat(tree).doesNotExist();
    Trees.delete(tree);
  }
}
