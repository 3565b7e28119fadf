package io.headgate.agent.runtime.output;

import io.headgate.agent.process.AttemptLogs.Stream;
import io.headgate.agent.runtime.ledger.SentOutput;
import io.headgate.agent.runtime.telemetry.OutputInstruments;
import io.headgate.kit.telemetry.LogEntry;
import io.headgate.kit.telemetry.LogOutput;
import io.headgate.kit.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// The receiver of job output: it gets a log record for each line. For one thread at a time.
public final class OutputReceiver {
  /// The `service.name` of the records. The agent's own log has another.
  public static final String SERVICE = "headgate-jobs";

  /// The one event name of the records.
  static final String EVENT = "headgate.job.output";

  /// The longest wait for one answer.
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private final LogOutput output;
  private final OutputInstruments instruments;
  private final String node;
  private final TimeSource time;
  private Instant last = Instant.MIN;

  /// @param node id of this machine's node
  public OutputReceiver(
      LogOutput output, OutputInstruments instruments, String node, TimeSource time) {
    this.output = output;
    this.instruments = instruments;
    this.node = node;
    this.time = time;
  }

  /// Sends the lines, if there are some; false: it refused them, or did not answer in time.
  boolean take(SentOutput of, Stream stream, OutputReader.Part part) {
    List<LogEntry> entries = new ArrayList<>();
    for (OutputLines.Line line : part.output().lines()) {
      Map<String, Object> attributes = attributes(of, stream);
      attributes.put("headgate.output.offset", line.offset());
      if (entries.isEmpty() && part.dropped() > 0) {
        attributes.put("headgate.output.dropped", part.dropped());
      }
      entries.add(new LogEntry(EVENT, next(), line.text(), of.traceparent(), attributes));
    }
    boolean isTaken = entries.isEmpty() || output.send(entries, PATIENCE);
    if (isTaken) {
      long bytes = part.output().endOffset() - of.of(stream) - part.dropped();
      instruments.sent(bytes, part.dropped());
    }
    return isTaken;
  }

  private Map<String, Object> attributes(SentOutput of, Stream stream) {
    Map<String, Object> attributes = new HashMap<>();
    attributes.put("headgate.tenant", of.key().job().tenant());
    attributes.put("headgate.queue", of.queue());
    attributes.put("headgate.job", of.key().job().id());
    attributes.put("headgate.attempt", of.key().attempt());
    attributes.put("headgate.worker", of.key().worker());
    attributes.put("headgate.node", node);
    attributes.put("log.iostream", stream.name().toLowerCase(Locale.ROOT));
    return attributes;
  }

  /// A later time for each line, so that receivers keep their order and take no two equal lines for
  /// one.
  private Instant next() {
    Instant now = time.instant();
    last = now.isAfter(last) ? now : last.plusNanos(1);
    return last;
  }
}
