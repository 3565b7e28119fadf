package io.headgate.scheduler.runtime.trace;

import io.headgate.kit.telemetry.FinishedSpan;
import io.headgate.scheduler.runtime.trace.TraceLog.EndedPhases;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;

/// Span writers that come one after the other over the same events, and what their receiver has in
/// the end. Writers die at any moment, and one that does not know yet that it was deposed goes on
/// beside its successor.
public final class WriterRun {
  private final List<EndedPhases> events;
  private final Sampling sampling;
  private final Map<String, FinishedSpan> taken = new LinkedHashMap<>();
  private OptionalLong cursor = OptionalLong.of(0);
  private int kills;
  private int refusals;
  private int again;

  /// @param events in the order of their versions, which begin above 0
  public WriterRun(List<EndedPhases> events, Sampling sampling) {
    this.events = List.copyOf(events);
    this.sampling = sampling;
  }

  private static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /// One writer's view of the store, in which it may die.
  private final class Log implements TraceLog {
    private final RandomGenerator random;
    private final boolean isMortal;

    Log(RandomGenerator random, boolean isMortal) {
      this.random = random;
      this.isMortal = isMortal;
    }

    private void mayDie() {
      if (isMortal && random.nextInt(4) == 0) {
        kills++;
        throw new Killed();
      }
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
      mayDie();
      return events.stream()
          .filter(each -> each.version() > after && each.version() <= upTo)
          .toList();
    }

    @Override
    public boolean advance(OptionalLong from, long to) {
      // Dies with the spans sent and the cursor where it was.
      mayDie();
      if (!cursor.equals(from)) {
        return false;
      }
      cursor = OptionalLong.of(to);
      return true;
    }
  }

  private SpanWriter writer(RandomGenerator random, boolean isMortal, boolean isMoody) {
    SpanWriter.Receiver receiver =
        new SpanWriter.Receiver() {
          @Override
          public boolean send(List<FinishedSpan> spans) {
            if (isMoody && random.nextInt(3) == 0) {
              refusals++;
              return false;
            }
            for (FinishedSpan span : spans) {
              FinishedSpan before = taken.put(span.traceId() + span.spanId(), span);
              if (before != null) {
                again++;
                if (!before.equals(span)) {
                  throw new AssertionError("one id, two spans: " + before + " and " + span);
                }
              }
            }
            return true;
          }

          @Override
          public void dropped(int spans) {
            throw new AssertionError(spans + " spans are dropped, which are not old");
          }
        };
    return new SpanWriter(
        new Log(random, isMortal), receiver, sampling, () -> Instant.EPOCH, () -> true);
  }

  /// By one writer that nothing happens to.
  public List<FinishedSpan> undisturbed() {
    SpanWriter writer = writer(RandomGenerator.getDefault(), false, false);
    while (writer.step() != SpanWriter.Step.NOTHING) {
      // Until all is written.
    }
    return spans();
  }

  /// By writers of whom at least `least` are killed.
  public List<FinishedSpan> withKills(RandomGenerator random, int least) {
    SpanWriter writer = writer(random, true, true);
    SpanWriter deposed = writer;
    boolean isDone = false;
    while (!isDone) {
      try {
        SpanWriter acting = random.nextInt(5) == 0 ? deposed : writer;
        isDone = acting.step() == SpanWriter.Step.NOTHING && kills >= least;
        if (acting.step() == SpanWriter.Step.NOTHING && kills < least) {
          // All is written: the next leader finds nothing to do.
          kills++;
          writer = writer(random, true, true);
        }
      } catch (Killed _) {
        deposed = writer;
        writer = writer(random, true, true);
      }
    }
    return spans();
  }

  private List<FinishedSpan> spans() {
    List<FinishedSpan> all = new ArrayList<>(taken.values());
    all.sort(
        java.util.Comparator.comparing(FinishedSpan::traceId).thenComparing(FinishedSpan::spanId));
    return all;
  }

  public int kills() {
    return kills;
  }

  public int refusals() {
    return refusals;
  }

  /// Spans that came more than once.
  public int again() {
    return again;
  }
}
