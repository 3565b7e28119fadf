package io.headgate.kit.grpc;

import io.headgate.kit.telemetry.MetricDefinition;
import io.headgate.kit.telemetry.ServiceMetrics;
import io.opentelemetry.api.metrics.Meter;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/// The metrics of a server.
record ServerMeters(Meter meter) {

  /// @param refused calls of bounded methods that were refused before they were read
  void observe(Handlers handlers, ActiveCalls calls, LongAdder refused, Connections connections) {
    gauge(ServiceMetrics.HANDLERS, handlers::getActiveCount);
    gauge(ServiceMetrics.HANDLERS_WAITING, () -> handlers.getQueue().size());
    gauge(ServiceMetrics.CALLS, calls::count);
    counter(ServiceMetrics.CALLS_REFUSED, refused::sum);
    counter(ServiceMetrics.CONNECTIONS_REFUSED, connections::refused);
    counter(ServiceMetrics.CONNECTIONS_CUT, connections::cut);
  }

  void observe(StrangersLoop strangers) {
    gauge(ServiceMetrics.STRANGERS_LOBBY, strangers::inLobby);
    gauge(ServiceMetrics.STRANGERS_CHECKS, () -> strangers.checks().waiting());
    ServiceMetrics.STRANGERS_PAUSE
        .doubleCounter(meter)
        .buildWithCallback(counter -> counter.record(strangers.pausedSeconds()));
  }

  private void gauge(MetricDefinition definition, LongSupplier value) {
    definition.gauge(meter).ofLongs().buildWithCallback(gauge -> gauge.record(value.getAsLong()));
  }

  private void counter(MetricDefinition definition, LongSupplier value) {
    definition
        .observedCounter(meter)
        .buildWithCallback(counter -> counter.record(value.getAsLong()));
  }
}
