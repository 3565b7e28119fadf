package io.headgate.kit.grpc;

import io.opentelemetry.api.metrics.Meter;
import java.util.concurrent.atomic.LongAdder;

/// The metrics of a server.
record ServerMeters(Meter meter) {

  /// @param refused calls of bounded methods that were refused before they were read
  void observe(Handlers handlers, ActiveCalls calls, LongAdder refused, Connections connections) {
    meter
        .gaugeBuilder("headgate.server.handlers")
        .setUnit("{handler}")
        .setDescription("Handlers that run at this moment.")
        .ofLongs()
        .buildWithCallback(gauge -> gauge.record(handlers.getActiveCount()));
    meter
        .gaugeBuilder("headgate.server.handlers.waiting")
        .setUnit("{handler}")
        .setDescription("Events of calls that wait for a handler's thread.")
        .ofLongs()
        .buildWithCallback(gauge -> gauge.record(handlers.getQueue().size()));
    meter
        .gaugeBuilder("headgate.server.calls")
        .setUnit("{call}")
        .setDescription("Calls in progress, streams included.")
        .ofLongs()
        .buildWithCallback(gauge -> gauge.record(calls.count()));
    meter
        .counterBuilder("headgate.server.calls.refused")
        .setUnit("{call}")
        .setDescription("Calls of bounded methods that were refused before they were read.")
        .buildWithCallback(counter -> counter.record(refused.sum()));
    meter
        .counterBuilder("headgate.server.connections.refused")
        .setUnit("{connection}")
        .setDescription("Connections that were refused, or gave way to a new one.")
        .buildWithCallback(counter -> counter.record(connections.refused()));
    meter
        .counterBuilder("headgate.server.connections.cut")
        .setUnit("{connection}")
        .setDescription("Connections that ended because of a flood.")
        .buildWithCallback(counter -> counter.record(connections.cut()));
  }

  void observe(StrangersLoop strangers) {
    meter
        .gaugeBuilder("headgate.server.strangers.lobby")
        .setUnit("{connection}")
        .setDescription("Connections whose first call the server waits for.")
        .ofLongs()
        .buildWithCallback(gauge -> gauge.record(strangers.inLobby()));
    meter
        .gaugeBuilder("headgate.server.strangers.checks")
        .setUnit("{token}")
        .setDescription("Tokens of strangers that wait for their check.")
        .ofLongs()
        .buildWithCallback(gauge -> gauge.record(strangers.checks().waiting()));
    meter
        .counterBuilder("headgate.server.strangers.pause")
        .setUnit("s")
        .setDescription("Time that the loop of strangers paused to keep its share.")
        .ofDoubles()
        .buildWithCallback(counter -> counter.record(strangers.pausedSeconds()));
  }
}
