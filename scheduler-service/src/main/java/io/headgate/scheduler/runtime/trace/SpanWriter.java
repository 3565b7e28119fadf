package io.headgate.scheduler.runtime.trace;

import io.headgate.kit.telemetry.FinishedSpan;
import io.headgate.scheduler.runtime.record.LeaderTask;
import io.headgate.scheduler.runtime.trace.TraceLog.EndedPhases;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes the spans of committed events while this process leads. It follows the events by their
/// versions, with a durable cursor that moves when the receiver has the spans. So a leader that
/// dies loses none: its successor goes on at the cursor, and what it writes again has the same ids.
/// Has a thread of its own and holds one page of events in memory. A receiver that is down delays
/// spans, and nothing else.
public final class SpanWriter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SpanWriter.class);

  /// Versions of one page.
  static final int PAGE = 2_000;

  /// Spans of one message to the receiver.
  static final int MESSAGE = 512;

  /// Spans that no receiver has taken for this long are dropped, and counted.
  static final Duration KEPT = Duration.ofHours(1);

  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
  private static final Duration STOP = Duration.ofSeconds(15);

  private final TraceLog log;
  private final Receiver receiver;
  private final PhaseSpans spans;
  private final InstantSource time;
  private final LeaderTask task;
  private Duration pause = PAUSE;

  /// Takes spans.
  public interface Receiver {
    /// Sends the spans. Blocks for a bounded time.
    ///
    /// @return whether the receiver has all of them
    boolean send(List<FinishedSpan> spans);

    /// Counts spans that were dropped because no receiver took them in time.
    void dropped(int spans);
  }

  /// The result of a step.
  enum Step {
    /// There was nothing to write.
    NOTHING,
    /// There may be more.
    MOVED,
    /// The receiver did not take the spans.
    REFUSED
  }

  /// A writer that waits for [#start].
  ///
  /// @param time the database's, like the times of events
  /// @param leading whether this process is the one to write
  public SpanWriter(
      TraceLog log,
      Receiver receiver,
      Sampling sampling,
      InstantSource time,
      BooleanSupplier leading) {
    this.log = log;
    this.receiver = receiver;
    this.spans = new PhaseSpans(sampling);
    this.time = time;
    this.task =
        new LeaderTask("scheduler-spans", new LeaderTask.Times(PAUSE, STOP), leading, this::work);
  }

  /// Begins. Call it before the process may lead: where no writer has ever begun, the events of now
  /// are the last that get no spans.
  public void start() {
    try {
      begin(log.cursor(), log.newest());
    } catch (RuntimeException e) {
      LOG.debug("the cursor of spans is not set, trying again", e);
    }
    task.start();
  }

  /// Events from before there was a receiver are history.
  private boolean begin(OptionalLong cursor, long newest) {
    if (cursor.isPresent()) {
      return false;
    }
    log.advance(cursor, newest);
    return true;
  }

  private Duration work() {
    pause = writeAll() ? PAUSE : longer(pause);
    return pause;
  }

  private static Duration longer(Duration pause) {
    Duration doubled = pause.multipliedBy(2);
    return doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
  }

  /// Writes page after page; false: to be tried again later.
  private boolean writeAll() {
    try {
      Step step = Step.MOVED;
      while (step == Step.MOVED && task.mayGoOn()) {
        step = step();
      }
      return step != Step.REFUSED;
    } catch (RuntimeException e) {
      LOG.debug("spans were not written, trying again", e);
      return false;
    }
  }

  /// Writes one page.
  Step step() {
    OptionalLong cursor = log.cursor();
    long newest = log.newest();
    if (begin(cursor, newest)) {
      return Step.NOTHING;
    }
    long after = cursor.getAsLong();
    long upTo = Math.min(after + PAGE, newest);
    if (upTo <= after) {
      return Step.NOTHING;
    }
    if (!send(log.read(after, upTo))) {
      return Step.REFUSED;
    }
    // Another writer that moved the cursor meanwhile has written the same spans.
    log.advance(cursor, upTo);
    return Step.MOVED;
  }

  private boolean send(List<EndedPhases> page) {
    Instant horizon = time.instant().minus(KEPT);
    List<FinishedSpan> message = new ArrayList<>();
    int dropped = 0;
    for (EndedPhases ended : page) {
      List<FinishedSpan> made = spans.of(ended);
      if (ended.writtenAt().isBefore(horizon)) {
        dropped += made.size();
      } else {
        message.addAll(made);
      }
      if (message.size() >= MESSAGE) {
        if (!receiver.send(message)) {
          return false;
        }
        message = new ArrayList<>();
      }
    }
    boolean isTaken = message.isEmpty() || receiver.send(message);
    if (isTaken && dropped > 0) {
      receiver.dropped(dropped);
      LOG.warn("dropped {} spans that no receiver took for {}", dropped, KEPT);
    }
    return isTaken;
  }

  /// Waits for the page in progress.
  @Override
  public void close() {
    task.close();
  }
}
