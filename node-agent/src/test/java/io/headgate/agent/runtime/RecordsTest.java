package io.headgate.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.AttemptReport;
import io.headgate.agent.core.Fixtures;
import io.headgate.agent.core.Input;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.Leadership;
import io.headgate.agent.core.LeadershipHistory;
import io.headgate.agent.driver.SlicePlan;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is written is what is read, and what is damaged is refused.
class RecordsTest {
  @TempDir Path data;

  private Ledger open(String bootId) throws IOException {
    return Ledger.open(data, bootId);
  }

  @Test
  void readsAssignmentsReportsAndSlicesBack() {
    Assignment assignment =
        Fixtures.assignment("a", Fixtures.slice(0, "1"), Fixtures.slice(1, "1"));
    assertThat(Records.assignment(Fields.ofLines(Records.of(assignment).toLines())))
        .isEqualTo(assignment);
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
    try (Ledger ledger = open("boot-1")) {
      ledger.recordLeadership(history);
      ledger.recordAssignment(assignment, 77);
      ledger.recordAssignment(Fixtures.assignment("done"), 77);
      ledger.recordEnd(Fixtures.endedReport("done"));
      ledger.recordEnd(Fixtures.endedReport("refused"));
      ledger.forget(Fixtures.key("refused"));
      Files.createDirectory(data.resolve("attempts/acme.half-made.1.0"));
    }
    try (Ledger ledger = open("boot-1")) {
      Input.Recovered recovered = ledger.recover(Fixtures.NOW);
      assertThat(recovered.history()).isEqualTo(history);
      assertThat(recovered.attempts())
          .containsExactlyInAnyOrder(found(assignment, true), ended(Fixtures.endedReport("done")));
      assertThat(ledger.contactBootMs(assignment.key())).isEqualTo(77);
      assertThat(ledger.directory(Fixtures.key("half-made"))).doesNotExist();
      assertThat(ledger.directory(Fixtures.key("done")).resolve("assignment")).doesNotExist();
    }
    try (Ledger ledger = open("boot-2")) {
      assertThat(ledger.recover(Fixtures.NOW).attempts()).contains(found(assignment, false));
    }
  }

  private static Input.Found found(Assignment assignment, boolean sameBoot) {
    return new Input.Found(
        assignment.key(),
        Optional.of(assignment),
        sameBoot,
        Optional.empty(),
        Optional.empty(),
        Fixtures.NOW);
  }

  private static Input.Found ended(AttemptReport report) {
    return new Input.Found(
        report.key(), Optional.empty(), true, Optional.of(report), Optional.empty(), Fixtures.NOW);
  }

  @Test
  void refusesADamagedRecordRatherThanSkipIt() throws IOException {
    try (Ledger ledger = open("boot-1")) {
      ledger.recordAssignment(Fixtures.assignment("a"), 0);
      Path record = ledger.directory(Fixtures.key("a")).resolve("assignment");
      Files.writeString(record, Files.readString(record).replace("attempt=1", "attempt=one"));
    }
    try (Ledger ledger = open("boot-1")) {
      assertThatExceptionOfType(UncheckedIOException.class)
          .isThrownBy(() -> ledger.recover(Fixtures.NOW))
          .withMessageContaining("acme.a.1.0")
          .withMessageContaining("'one'");
    }
  }

  @Test
  void belongsToOneAgentAtATime() throws IOException {
    try (Ledger ledger = open("boot-1")) {
      assertThat(ledger.bootId()).isEqualTo("boot-1");
      assertThatIOException()
          .isThrownBy(() -> open("boot-1"))
          .withMessageContaining("another agent is running with");
    }
    open("boot-1").close();
  }

  @Test
  void keepsABoundedPastAndNeverWhatIsStillNeeded() throws IOException {
    try (Ledger ledger = open("boot-1")) {
      InstantSource now = InstantSource.fixed(Fixtures.NOW);
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
      new Retention(ledger, now, 3, Duration.ofDays(7)).apply();

      assertThat(ledger.forgotten())
          .containsExactly(
              ledger.directory(Fixtures.key("j3")), ledger.directory(Fixtures.key("j4")));
      assertThat(ledger.directory(Fixtures.key("needed"))).exists();
    }
  }

  @Test
  void numbersUpdatesAcrossRestartsAndForgetsWhatIsAcknowledged() throws IOException {
    Path file = data.resolve("outbox");
    try (Outbox outbox = Outbox.open(file)) {
      assertThat(outbox.append(Fixtures.runningReport("a")).sequence()).isEqualTo(1);
      assertThat(outbox.append(Fixtures.endedReport("a")).sequence()).isEqualTo(2);
      outbox.acknowledge(1);
      assertThat(outbox.after(0, 10)).extracting(Outbox.Entry::sequence).containsExactly(2L);
    }
    try (Outbox outbox = Outbox.open(file)) {
      outbox.acknowledge(1);
      assertThat(outbox.after(0, 10))
          .containsExactly(new Outbox.Entry(2, Fixtures.endedReport("a")));
      outbox.acknowledge(2);
      assertThat(outbox.emptied()).isCompleted();
      assertThat(outbox.append(Fixtures.runningReport("b")).sequence()).isEqualTo(3);
    }
    try (Outbox outbox = Outbox.open(file)) {
      outbox.acknowledge(9);
      assertThat(outbox.append(Fixtures.runningReport("c")).sequence())
          .as("a scheduler that is ahead of lost data")
          .isEqualTo(10);
    }
  }

  @Test
  void dropsWhatACrashCutOffAndRefusesOtherDamage() throws IOException {
    Path file = data.resolve("outbox");
    try (Outbox outbox = Outbox.open(file)) {
      outbox.append(Fixtures.runningReport("a"));
      outbox.append(Fixtures.endedReport("a"));
    }
    String whole = Files.readString(file);
    Files.writeString(file, "3 abc job=tenants%2F", StandardOpenOption.APPEND);
    try (Outbox outbox = Outbox.open(file)) {
      assertThat(outbox.append(Fixtures.runningReport("b")).sequence()).isEqualTo(3);
    }
    Files.writeString(file, whole.replaceFirst("state=RUNNING", "state=STARTING"));
    assertThatExceptionOfType(UncheckedIOException.class)
        .isThrownBy(() -> Outbox.open(file))
        .withMessageContaining("line 2");
  }
}
