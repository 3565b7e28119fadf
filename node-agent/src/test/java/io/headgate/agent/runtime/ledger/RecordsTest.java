package io.headgate.agent.runtime.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.AttemptState;
import io.headgate.agent.core.EndReason;
import io.headgate.agent.core.Fixtures;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.Leadership;
import io.headgate.agent.core.LeadershipHistory;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.kit.testing.TestClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Records are read as they were written, and damaged ones are refused.
class RecordsTest {
  @TempDir Path data;

  private AttemptLedger open(String bootId) throws IOException {
    return AttemptLedger.open(data, bootId, new JobUsers(1_900_000_000, 1000));
  }

  private Outbox openOutbox(Path file) throws IOException {
    return Outbox.open(file, new DiskReserve(data.resolve("reserve")));
  }

  @Test
  void readsAssignmentsReportsAndSlicesBack() {
    Assignment assignment =
        Fixtures.assignment("a", Fixtures.slice(0, "1"), Fixtures.slice(1, "1"));
    assertThat(Records.assignment(Fields.ofLines(Records.of(assignment).toLines())))
        .isEqualTo(assignment);
    Assignment unlike = Fixtures.assignment(Fixtures.key("a", "1-x"));
    assertThat(Records.assignment(Fields.ofLines(Records.of(unlike).toLines()))).isEqualTo(unlike);
    for (AttemptReport report : List.of(Fixtures.endedReport("a"), Fixtures.runningReport("b"))) {
      assertThat(Records.report(Fields.ofLine(Records.of(report).toLine()))).isEqualTo(report);
    }
    AttemptKey key = Fixtures.key("a");
    List<SlicePlan> plans =
        List.of(
            new SlicePlan(
                key,
                0,
                Fixtures.slice(1, "1/7"),
                "mig",
                IsolationLevel.HARDWARE,
                10L << 30,
                new TreeMap<>(Map.of("profile", "19", "start", "4=x"))));
    assertThat(Records.plans(Fields.ofLines(Records.of(plans).toLines()), key)).isEqualTo(plans);
    LeadershipHistory history =
        new LeadershipHistory(Optional.of(new Leadership("i2", 3, "b")), List.of("i0", "i1"));
    assertThat(Records.leadership(Fields.ofLines(Records.of(history).toLines())))
        .isEqualTo(history);
  }

  @Test
  void toleratesFieldsOfANewerAgent() {
    String newer = Records.of(Fixtures.assignment("a")).toLines() + "colour=blue\n";
    assertThat(Records.assignment(Fields.ofLines(newer))).isEqualTo(Fixtures.assignment("a"));
  }

  @Test
  void recoversWhatWasTakenOnAndWhatEnded() throws IOException {
    Assignment assignment = Fixtures.assignment("running");
    LeadershipHistory history = new LeadershipHistory(Optional.of(Fixtures.LEADER), List.of());
    try (AttemptLedger ledger = open("boot-1")) {
      ledger.recordLeadership(history);
      ledger.recordAssignment(assignment, 77);
      ledger.recordAssignment(Fixtures.assignment("done"), 77);
      ledger.recordEnd(Fixtures.endedReport("done"));
      ledger.recordEnd(Fixtures.endedReport("refused"));
      ledger.forget(Fixtures.key("refused"));
      Files.createDirectory(data.resolve("attempts/acme.half-made.1.0"));
    }
    try (AttemptLedger ledger = open("boot-1")) {
      Input.Recovered recovered = ledger.recover(Fixtures.NOW);
      assertThat(recovered.history()).isEqualTo(history);
      assertThat(recovered.attempts())
          .containsExactlyInAnyOrder(found(assignment, true), ended(Fixtures.endedReport("done")));
      assertThat(ledger.contactBootMs(assignment.key())).isEqualTo(77);
      assertThat(ledger.directory(Fixtures.key("half-made"))).doesNotExist();
      assertThat(ledger.directory(Fixtures.key("done")).resolve("assignment")).doesNotExist();
    }
    try (AttemptLedger ledger = open("boot-2")) {
      assertThat(ledger.recover(Fixtures.NOW).attempts()).contains(found(assignment, false));
    }
  }

  @Test
  void startsWhateverAJobLeftInThePlaceOfItsPodsRecords() throws Exception {
    Assignment assignment = Fixtures.assignment("j");
    try (AttemptLedger ledger = open("boot-1")) {
      ledger.recordAssignment(assignment, 77);
      Path inside = ledger.makeInside(assignment.key());
      Files.writeString(inside.resolve("status"), "pid=everybody");
      Files.createDirectories(inside.resolve("assignment/in-the-way"));
    }
    try (AttemptLedger ledger = open("boot-2")) {
      assertThat(ledger.recover(Fixtures.NOW).attempts()).containsExactly(found(assignment, false));
      ledger.recordEnd(Fixtures.endedReport("j"));
    }
    try (AttemptLedger ledger = open("boot-2")) {
      assertThat(ledger.recover(Fixtures.NOW).attempts())
          .containsExactly(ended(Fixtures.endedReport("j")));
    }
  }

  private static Input.Found found(Assignment assignment, boolean sameBoot) {
    return new Input.Found(
        assignment.key(),
        Optional.of(assignment),
        sameBoot,
        0,
        Optional.empty(),
        Optional.empty(),
        Fixtures.NOW);
  }

  private static Input.Found ended(AttemptReport report) {
    return new Input.Found(
        report.key(),
        Optional.empty(),
        true,
        0,
        Optional.of(report),
        Optional.empty(),
        Fixtures.NOW);
  }

  @Test
  void refusesADamagedRecordRatherThanSkipIt() throws IOException {
    try (AttemptLedger ledger = open("boot-1")) {
      ledger.recordAssignment(Fixtures.assignment("a"), 0);
      Path record = ledger.directory(Fixtures.key("a")).resolve("assignment");
      Files.writeString(record, Files.readString(record).replace("attempt=1", "attempt=one"));
    }
    try (AttemptLedger ledger = open("boot-1")) {
      assertThatExceptionOfType(UncheckedIOException.class)
          .isThrownBy(() -> ledger.recover(Fixtures.NOW))
          .withMessageContaining("acme.a.1.0")
          .withMessageContaining("'one'");
    }
  }

  @Test
  void belongsToOneAgentAtATime() throws IOException {
    try (AttemptLedger ledger = open("boot-1")) {
      assertThat(ledger.bootId()).isEqualTo("boot-1");
      assertThatIOException()
          .isThrownBy(() -> open("boot-1"))
          .withMessageContaining("another agent is running with");
    }
    open("boot-1").close();
  }

  @Test
  void keepsABoundedPastAndNeverWhatIsStillNeeded() throws IOException {
    try (AttemptLedger ledger = open("boot-1")) {
      TestClock now = new TestClock();
      now.setWall(Fixtures.NOW);
      ledger.recordEnd(Fixtures.endedReport("needed"));
      for (int i = 0; i < 5; i++) {
        String job = "j" + i;
        ledger.recordEnd(Fixtures.endedReport(job));
        Path directory = ledger.directory(Fixtures.key(job));
        Files.createDirectory(directory.resolve("logs"));
        Files.createSymbolicLink(directory.resolve("link"), data);
        ledger.forget(Fixtures.key(job));
        Files.setLastModifiedTime(
            directory.resolve("forgotten"),
            FileTime.from(Fixtures.NOW.minus(Duration.ofDays(10 - i))));
      }
      new Retention(ledger, now, new Retention.Limits(3, Duration.ofDays(7), Optional.empty()))
          .apply();

      assertThat(ledger.forgotten())
          .containsExactly(
              ledger.directory(Fixtures.key("j3")), ledger.directory(Fixtures.key("j4")));
      assertThat(ledger.directory(Fixtures.key("needed"))).exists();
    }
  }

  @Test
  void keepsNoMoreBytesOfThePastThanAllowedAndForgetsTheOldestFirst() throws IOException {
    try (AttemptLedger ledger = open("boot-1")) {
      TestClock now = new TestClock();
      now.setWall(Fixtures.NOW);
      ledger.recordEnd(Fixtures.endedReport("needed"));
      write(ledger.directory(Fixtures.key("needed")).resolve("work"), 1 << 20);
      Path checkpoint = Files.createDirectories(data.resolve("checkpoints/acme/j0"));
      write(checkpoint, 1 << 20);
      for (int i = 0; i < 5; i++) {
        AttemptKey key = Fixtures.key("j" + i);
        ledger.recordEnd(Fixtures.endedReport("j" + i));
        write(ledger.directory(key).resolve("logs"), 40_000);
        write(ledger.directory(key).resolve("work/deep"), 40_000);
        Files.createSymbolicLink(ledger.directory(key).resolve("link"), checkpoint);
        ledger.forget(key);
        Files.setLastModifiedTime(
            ledger.directory(key).resolve("forgotten"),
            FileTime.from(Fixtures.NOW.minus(Duration.ofHours(10 - i))));
      }
      Retention.Limits limits =
          new Retention.Limits(1000, Duration.ofDays(7), Optional.of(200_000L));
      new Retention(ledger, now, limits).apply();

      assertThat(ledger.forgotten())
          .containsExactly(
              ledger.directory(Fixtures.key("j3")), ledger.directory(Fixtures.key("j4")));
      assertThat(ledger.directory(Fixtures.key("needed")).resolve("work/file")).exists();
      assertThat(checkpoint.resolve("file")).exists();
    }
  }

  private static void write(Path directory, int bytes) throws IOException {
    Files.write(Files.createDirectories(directory).resolve("file"), new byte[bytes]);
  }

  @Test
  void givesUpForGoodWhatNeverRanAndNothingElse() throws IOException {
    AttemptKey never = Fixtures.key("never");
    AttemptKey ran = Fixtures.key("ran");
    AttemptLedger.Refusal refusal =
        new AttemptLedger.Refusal(EndReason.START_FAILED, "no such\nprogram = 1");
    try (AttemptLedger ledger = open("boot-1")) {
      ledger.recordAssignment(Fixtures.assignment("never"), 0);
      ledger.recordAssignment(Fixtures.assignment("ran"), 0);
      Files.writeString(
          ledger.directory(ran).resolve("status"),
          "version=1\nboot_id=b\nsupervisor_pid=1\npid=2\npid_start_ticks=3\ncgroup=0\n"
              + "started_ms=4\n");

      assertThat(ledger.recordRefusal(never, refusal)).isTrue();
      assertThat(ledger.recordRefusal(ran, refusal)).isFalse();
    }
    try (AttemptLedger ledger = open("boot-1")) {
      assertThat(ledger.refusal(never)).hasValue(refusal);
      assertThat(ledger.refusal(ran)).isEmpty();
    }
  }

  @Test
  void keepsItsJournalShortAlsoIfItIsNeverEmpty() throws IOException {
    Path file = data.resolve("outbox");
    AttemptReport wordy =
        new AttemptReport(
            Fixtures.key("a"),
            AttemptState.ENDED,
            Optional.empty(),
            Optional.empty(),
            Optional.of(
                new AttemptReport.End(
                    EndReason.REJECTED,
                    OptionalInt.empty(),
                    Optional.of("x".repeat(100_000)),
                    Fixtures.NOW)),
            0,
            Optional.empty());
    try (Outbox outbox = openOutbox(file)) {
      for (int i = 0; i < 50; i++) {
        outbox.acknowledge(outbox.append(wordy).sequence() - 1);
        assertThat(Files.size(file)).isLessThan(2L << 20);
      }
    }
    try (Outbox outbox = openOutbox(file)) {
      assertThat(outbox.after(49, 10)).containsExactly(new Outbox.Entry(50, wordy));
    }
  }

  @Test
  void sendsNothingAgainThatWasAcknowledgedBeforeTheAgentWasKilled() throws IOException {
    Path file = data.resolve("outbox");
    Outbox killed = openOutbox(file);
    killed.append(Fixtures.runningReport("a"));
    killed.append(Fixtures.endedReport("a"));
    killed.acknowledge(2);
    killed.append(Fixtures.runningReport("b"));

    try (Outbox outbox = openOutbox(file)) {
      assertThat(outbox.after(0, 10))
          .containsExactly(new Outbox.Entry(3, Fixtures.runningReport("b")));
      assertThat(outbox.append(Fixtures.endedReport("b")).sequence()).isEqualTo(4);
    }
    killed.close();
  }

  @Test
  void numbersUpdatesAcrossRestartsAndForgetsWhatIsAcknowledged() throws IOException {
    Path file = data.resolve("outbox");
    try (Outbox outbox = openOutbox(file)) {
      assertThat(outbox.append(Fixtures.runningReport("a")).sequence()).isEqualTo(1);
      assertThat(outbox.append(Fixtures.endedReport("a")).sequence()).isEqualTo(2);
      outbox.acknowledge(1);
      assertThat(outbox.after(0, 10)).extracting(Outbox.Entry::sequence).containsExactly(2L);
    }
    try (Outbox outbox = openOutbox(file)) {
      outbox.acknowledge(1);
      assertThat(outbox.after(0, 10))
          .containsExactly(new Outbox.Entry(2, Fixtures.endedReport("a")));
      outbox.acknowledge(2);
      assertThat(outbox.emptied()).isCompleted();
      assertThat(outbox.append(Fixtures.runningReport("b")).sequence()).isEqualTo(3);
    }
    try (Outbox outbox = openOutbox(file)) {
      outbox.acknowledge(9);
      assertThat(outbox.append(Fixtures.runningReport("c")).sequence())
          .as("a scheduler that is ahead of lost data")
          .isEqualTo(10);
    }
  }

  @Test
  void dropsWhatACrashCutOffAndRefusesOtherDamage() throws IOException {
    Path file = data.resolve("outbox");
    try (Outbox outbox = openOutbox(file)) {
      outbox.append(Fixtures.runningReport("a"));
      outbox.append(Fixtures.endedReport("a"));
    }
    String whole = Files.readString(file);
    Files.writeString(file, "3 abc job=tenants%2F", StandardOpenOption.APPEND);
    try (Outbox outbox = openOutbox(file)) {
      assertThat(outbox.append(Fixtures.runningReport("b")).sequence()).isEqualTo(3);
    }
    Files.writeString(file, whole.replaceFirst("state=RUNNING", "state=STARTING"));
    assertThatExceptionOfType(UncheckedIOException.class)
        .isThrownBy(() -> openOutbox(file))
        .withMessageContaining("line 2");
  }
}
