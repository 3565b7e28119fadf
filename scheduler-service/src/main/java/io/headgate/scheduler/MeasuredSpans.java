package io.headgate.scheduler;

import io.headgate.kit.telemetry.FinishedSpan;
import io.headgate.kit.telemetry.SpanOutput;
import io.headgate.scheduler.MetricNames.Name;
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
    this.written = counter(meter, MetricNames.SPANS_WRITTEN);
    this.refused = counter(meter, MetricNames.SPANS_REFUSED);
    this.dropped = counter(meter, MetricNames.SPANS_DROPPED);
  }

  private static LongCounter counter(Meter meter, Name name) {
    return meter
        .counterBuilder(name.name())
        .setUnit(name.unit())
        .setDescription(name.description())
        .build();
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
