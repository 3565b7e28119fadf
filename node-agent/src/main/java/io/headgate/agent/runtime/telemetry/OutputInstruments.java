package io.headgate.agent.runtime.telemetry;

import io.headgate.kit.telemetry.Telemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.LongCounter;

/// Counts the output of jobs that is sent to a receiver of logs. Thread-safe.
public final class OutputInstruments {
  private final LongCounter sent;
  private final LongCounter dropped;
  private final Attributes node;

  public OutputInstruments(Telemetry telemetry, String node) {
    var meter = telemetry.meter("io.headgate.agent");
    this.node = Attributes.of(AgentMetrics.NODE, node);
    this.sent = AgentMetrics.OUTPUT_SENT.counter(meter);
    this.dropped = AgentMetrics.OUTPUT_DROPPED.counter(meter);
    sent(0, 0);
  }

  /// The receiver has taken some output.
  ///
  /// @param dropped bytes before it that were not kept until then
  public void sent(long bytes, long dropped) {
    this.sent.add(bytes, node);
    this.dropped.add(dropped, node);
  }
}
