package io.headgate.agent.runtime.output;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.Fixtures;
import io.headgate.agent.runtime.ledger.AttemptLedger;
import io.headgate.agent.runtime.ledger.JobUsers;
import io.headgate.agent.runtime.telemetry.OutputInstruments;
import io.headgate.kit.telemetry.LogOutput;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.TestClock;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.logs.data.LogRecordData;
import io.opentelemetry.sdk.logs.export.LogRecordExporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A receiver that refuses is asked ever more rarely, and refused output holds up no other.
class OutputExportTest {
  @TempDir Path data;
  private final TestClock clock = new TestClock();
  private final Receiver receiver = new Receiver();
  private AttemptLedger ledger;
  private OutputExport export;

  /// Takes what it is told to take.
  private static final class Receiver implements LogRecordExporter {
    private final List<String> taken = new ArrayList<>();
    private Predicate<String> takes = _ -> true;
    private int refused;

    @Override
    public CompletableResultCode export(Collection<LogRecordData> records) {
      List<String> texts =
          records.stream()
              .map(each -> Objects.requireNonNull(each.getBodyValue()).asString())
              .toList();
      if (!texts.stream().allMatch(takes)) {
        refused++;
        return CompletableResultCode.ofFailure();
      }
      taken.addAll(texts);
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode flush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }

  @BeforeEach
  void open() throws IOException {
    ledger = AttemptLedger.open(data, "boot", new JobUsers(60_000, 8));
    export =
        new OutputExport(
            ledger,
            new OutputReceiver(
                LogOutput.to(receiver, OutputReceiver.SERVICE, "test"),
                new OutputInstruments(Telemetry.disabled(), "n1"),
                "n1",
                clock),
            clock);
  }

  @AfterEach
  void close() throws IOException {
    ledger.close();
  }

  private void follow(String job) throws IOException {
    Assignment assignment = Fixtures.assignment(job);
    ledger.recordAssignment(assignment, 0);
    Path attempt = ledger.supervised(assignment.key());
    Files.writeString(attempt.resolve("spec"), "log_segment_bytes=1048576\n");
    Files.createDirectory(attempt.resolve("logs"));
    export.follow(assignment);
  }

  private void print(String job, String text) throws IOException {
    AttemptKey key = Fixtures.key(job);
    Files.writeString(
        ledger.supervised(key).resolve("logs/stdout.0"),
        text,
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  private void lookEachSecond(int seconds) {
    for (int second = 0; second < seconds; second++) {
      clock.advance(Duration.ofSeconds(1));
      export.look();
    }
  }

  @Test
  void aReceiverThatRefusesIsAskedEverMoreRarelyAlsoBesideJobsThatPrintNothing() throws Exception {
    follow("quiet");
    follow("train");
    print("train", "step 1\n");
    receiver.takes = _ -> false;
    lookEachSecond(600);
    assertThat(receiver.refused).as("requests in ten minutes").isBetween(10, 20);

    receiver.takes = _ -> true;
    lookEachSecond(60);
    assertThat(receiver.taken).containsExactly("step 1");
  }

  @Test
  void outputThatIsRefusedForItselfHoldsUpNoOther() throws Exception {
    follow("bad");
    follow("good");
    receiver.takes = text -> !text.startsWith("bad");
    print("bad", "bad 1\n");
    for (int step = 1; step <= 20; step++) {
      print("good", "step " + step + "\n");
      lookEachSecond(3);
    }
    assertThat(receiver.taken).hasSize(20).allMatch(text -> text.startsWith("step"));
  }

  @Test
  void outputThatCannotBeReadForAWhileIsStillSent() throws Exception {
    follow("train");
    print("train", "step 1\n");
    Path spec = ledger.supervised(Fixtures.key("train")).resolve("spec");
    Files.writeString(spec, "log_segment_bytes=0\n");
    export.ended(Fixtures.key("train"));
    lookEachSecond(9);
    Files.writeString(spec, "log_segment_bytes=1048576\n");
    lookEachSecond(1);
    assertThat(receiver.taken).containsExactly("step 1");
    assertThat(ledger.outputs().unfinished()).as("attempts with output to send").isEmpty();
  }
}
