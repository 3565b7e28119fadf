package io.headgate.scheduler.runtime.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.telemetry.FinishedSpan;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.runtime.record.Phase;
import io.headgate.scheduler.runtime.record.Phase.Kind;
import io.headgate.scheduler.runtime.trace.TraceLog.EndedPhases;
import io.headgate.scheduler.runtime.trace.TraceLog.JobFacts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/// Whatever happens to writers and receiver, the receiver has each span once in the end.
final class SpanWriterTest {
  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
  private static final int SEEDS = 200;
  private static final int KILLS = 3;

  private static RandomGenerator random(long seed) {
    return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
  }

  private static JobFacts job(int number) {
    return new JobFacts(
        new TenantId("acme"), "j-" + number, number + "-x", "queue", "policy", "profile", "");
  }

  /// Events of some jobs whose phases end in any order, with gaps between their versions.
  private static List<EndedPhases> events(RandomGenerator random) {
    List<EndedPhases> events = new ArrayList<>();
    int count = random.nextInt(1, 60);
    long version = 0;
    for (int i = 0; i < count; i++) {
      version += random.nextInt(1, SpanWriter.PAGE);
      Instant time = BEGIN.plusSeconds(i);
      Kind kind = Kind.values()[random.nextInt(Kind.values().length - 2)];
      Phase phase =
          new Phase(kind, i, time.minusSeconds(1), Optional.of(time), Map.of("outcome", "FAILED"));
      events.add(new EndedPhases(version, time, 1, job(random.nextInt(5)), List.of(phase)));
    }
    return events;
  }

  @Test
  void threeKillsLoseNoSpanAndDoubleNone() {
    int again = 0;
    int refusals = 0;
    for (long seed = 1; seed <= SEEDS; seed++) {
      List<EndedPhases> events = events(random(seed));
      Sampling sampling = new Sampling(seed % 3 / 2.0);
      List<FinishedSpan> expected = new WriterRun(events, sampling).undisturbed();
      WriterRun run = new WriterRun(events, sampling);
      assertThat(run.withKills(random(-seed), KILLS)).as("seed %d", seed).isEqualTo(expected);
      assertThat(run.kills()).as("kills of seed %d", seed).isGreaterThanOrEqualTo(KILLS);
      again += run.again();
      refusals += run.refusals();
    }
    assertThat(again).as("spans that came again, with the same content").isPositive();
    assertThat(refusals).as("refusals of the receiver").isPositive();
  }

  /// A log of one page, and a receiver that can be down.
  private static final class OnePage implements TraceLog, SpanWriter.Receiver {
    private final List<EndedPhases> events;
    private final List<FinishedSpan> taken = new ArrayList<>();
    private OptionalLong cursor;
    private boolean isDown;
    private int dropped;

    OnePage(OptionalLong cursor, List<EndedPhases> events) {
      this.cursor = cursor;
      this.events = events;
    }

    @Override
    public OptionalLong cursor() {
      return cursor;
    }

    @Override
    public long newest() {
      return events.isEmpty() ? 0 : events.getLast().version();
    }

    @Override
    public List<EndedPhases> read(long after, long upTo) {
      return events;
    }

    @Override
    public boolean advance(OptionalLong from, long to) {
      cursor = OptionalLong.of(to);
      return true;
    }

    @Override
    public boolean send(List<FinishedSpan> spans) {
      if (!isDown) {
        taken.addAll(spans);
      }
      return !isDown;
    }

    @Override
    public void dropped(int spans) {
      dropped += spans;
    }

    SpanWriter writer(Instant now) {
      return new SpanWriter(this, this, Sampling.ALL, () -> now, () -> true);
    }
  }

  private static EndedPhases run(long version, Instant end) {
    return new EndedPhases(
        version,
        end,
        1,
        job(1),
        List.of(new Phase(Kind.RUN, 0, end.minusSeconds(1), Optional.of(end), Map.of())));
  }

  @Test
  void aReceiverThatIsDownDelaysSpans() {
    OnePage page = new OnePage(OptionalLong.of(0), List.of(run(1, BEGIN)));
    page.isDown = true;
    assertThat(page.writer(BEGIN).step()).isEqualTo(SpanWriter.Step.REFUSED);
    assertThat(page.cursor).hasValue(0);
    page.isDown = false;
    assertThat(page.writer(BEGIN).step()).isEqualTo(SpanWriter.Step.MOVED);
    assertThat(page.taken).hasSize(1);
    assertThat(page.cursor).hasValue(1);
  }

  @Test
  void spansThatNobodyTookForAnHourAreDroppedAndCounted() {
    Instant now = BEGIN.plus(SpanWriter.KEPT).plus(Duration.ofSeconds(1));
    OnePage page = new OnePage(OptionalLong.of(0), List.of(run(1, BEGIN), run(2, now)));
    assertThat(page.writer(now).step()).isEqualTo(SpanWriter.Step.MOVED);
    assertThat(page.taken).hasSize(1);
    assertThat(page.dropped).isEqualTo(1);
  }

  @Test
  void theFirstWriterBeginsWithWhatHappensNext() {
    OnePage page = new OnePage(OptionalLong.empty(), List.of(run(7, BEGIN)));
    assertThat(page.writer(BEGIN).step()).isEqualTo(SpanWriter.Step.NOTHING);
    assertThat(page.taken).isEmpty();
    assertThat(page.cursor).hasValue(7);
  }

  @Test
  void theFirstEventAfterTheStartHasItsSpans() {
    List<EndedPhases> events = new ArrayList<>();
    OnePage page = new OnePage(OptionalLong.empty(), events);
    SpanWriter writer = page.writer(BEGIN);
    writer.start();
    writer.close(); // Its thread would write, too.
    events.add(run(1, BEGIN));
    assertThat(writer.step()).isEqualTo(SpanWriter.Step.MOVED);
    assertThat(page.taken).hasSize(1);
  }
}
