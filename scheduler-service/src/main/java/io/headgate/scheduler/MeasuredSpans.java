package io.headgate.scheduler;

import io.headgate.kit.telemetry.FinishedSpan;
import io.headgate.kit.telemetry.SpanOutput;
import io.headgate.scheduler.runtime.trace.SpanWriter;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import java.time.Duration;
import java.util.List;

/// Sends spans to the receiver of traces, and counts them.
final class MeasuredSpans implements SpanWriter.Receiver {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final SpanOutput output;
  private final LongCounter written;
  private final LongCounter refused;
  private final LongCounter dropped;

  MeasuredSpans(SpanOutput output, Meter meter) {
    this.output = output;
    this.written = MetricNames.SPANS_WRITTEN.counter(meter);
    this.refused = MetricNames.SPANS_REFUSED.counter(meter);
    this.dropped = MetricNames.SPANS_DROPPED.counter(meter);
    written.add(0);
    refused.add(0);
    dropped.add(0);
  }

  @Override
  public boolean send(List<FinishedSpan> spans) {
    boolean isTaken = output.send(spans, PATIENCE);
    (isTaken ? written : refused).add(spans.size());
    return isTaken;
  }

  @Override
  public void dropped(int spans) {
    dropped.add(spans);
  }
}
