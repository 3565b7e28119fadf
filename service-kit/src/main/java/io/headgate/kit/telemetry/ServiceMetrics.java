package io.headgate.kit.telemetry;

import static io.headgate.kit.telemetry.MetricDefinition.counter;
import static io.headgate.kit.telemetry.MetricDefinition.gauge;
import static io.headgate.kit.telemetry.MetricDefinition.histogram;

import io.opentelemetry.api.common.AttributeKey;
import java.util.List;

/// The metrics of every service: its server, watches and database connections.
public final class ServiceMetrics {
  public static final AttributeKey<String> SCHEMA = AttributeKey.stringKey("headgate.schema");
  public static final AttributeKey<String> TENANT = AttributeKey.stringKey("headgate.tenant");
  public static final AttributeKey<String> WATCH = AttributeKey.stringKey("headgate.watch");
  public static final AttributeKey<String> SIGNAL = AttributeKey.stringKey("headgate.signal");
  public static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("headgate.outcome");
  public static final AttributeKey<String> METHOD = AttributeKey.stringKey("headgate.method");
  public static final AttributeKey<String> REASON = AttributeKey.stringKey("headgate.reason");
  public static final AttributeKey<String> ROLE = AttributeKey.stringKey("headgate.role");

  public static final MetricDefinition HANDLERS =
      gauge("headgate.server.handlers", "{handler}", "running handlers");
  public static final MetricDefinition HANDLERS_WAITING =
      gauge(
          "headgate.server.handlers.waiting",
          "{handler}",
          "events of calls that wait for a handler's thread");
  public static final MetricDefinition CALLS =
      gauge("headgate.server.calls", "{call}", "calls in progress, streams included");
  public static final MetricDefinition CALLS_REFUSED =
      counter(
              "headgate.server.calls.refused",
              "{call}",
              "calls of bounded methods, refused before they were read")
          .atZero(MetricDefinition.FROM_THE_START);
  public static final MetricDefinition CONNECTIONS_REFUSED =
      counter(
              "headgate.server.connections.refused",
              "{connection}",
              "connections that were refused, or gave way to a new one")
          .atZero(MetricDefinition.FROM_THE_START);
  public static final MetricDefinition CONNECTIONS_CUT =
      counter(
              "headgate.server.connections.cut",
              "{connection}",
              "connections that ended because of a flood")
          .atZero(MetricDefinition.FROM_THE_START);
  public static final MetricDefinition STRANGERS_LOBBY =
      gauge(
          "headgate.server.strangers.lobby",
          "{connection}",
          "connections whose first call the server waits for");
  public static final MetricDefinition STRANGERS_CHECKS =
      gauge(
          "headgate.server.strangers.checks",
          "{token}",
          "tokens of strangers that wait for their check");
  public static final MetricDefinition STRANGERS_PAUSE =
      counter(
              "headgate.server.strangers.pause",
              "s",
              "time that the loop of strangers paused to keep its share")
          .atZero(MetricDefinition.FROM_THE_START);

  public static final MetricDefinition DENIED =
      counter(
              "headgate.auth.denied",
              "{call}",
              "calls refused because of their caller; without a method: the token was not good",
              METHOD,
              REASON)
          .atZero(
              "from the start: bad tokens, `KEY_REJECTED` and `JOIN_TOKEN_REJECTED`, and"
                  + " `ROLE_DENIED` of each method");

  public static final MetricDefinition WATCH_SUBSCRIBERS =
      gauge(
          "headgate.watch.subscribers",
          "{subscriber}",
          "open watches, by watched resource and role of the caller",
          WATCH,
          ROLE);
  public static final MetricDefinition WATCH_LAG =
      histogram(
          "headgate.watch.lag",
          "s",
          "time from a commit until its news are handed to a subscriber",
          MetricDefinition.BRIEF,
          WATCH);
  public static final MetricDefinition WATCH_BYTES =
      gauge(
          "headgate.watch.bytes",
          "By",
          "bytes made for subscribers that their clients have not taken",
          WATCH);
  public static final MetricDefinition WATCH_CUTS =
      counter(
              "headgate.watch.cuts",
              "{subscriber}",
              "subscribers cut off because they took nothing",
              WATCH)
          .atZero(MetricDefinition.FROM_THE_START);

  public static final MetricDefinition CONNECTIONS_ACTIVE =
      database("active", "connections in use");
  public static final MetricDefinition CONNECTIONS_IDLE = database("idle", "open and unused");
  public static final MetricDefinition CONNECTIONS_WAITING =
      database("waiting", "threads that wait for one");
  public static final MetricDefinition CONNECTIONS_MAX = database("max", "the most there may be");

  public static final MetricDefinition AUDIT_SEQUENCE =
      gauge(
          "headgate.audit.sequence",
          "{entry}",
          "number of the last anchored entry of an audit chain; no tenant: of the installation",
          SCHEMA,
          TENANT);

  public static final MetricDefinition EXPORTS =
      counter(
              "headgate.telemetry.exports",
              "{export}",
              "exports of `traces`, `metrics` and `logs` by OTLP that were `ok` or `failed`; what"
                  + " failed is dropped",
              SIGNAL,
              OUTCOME)
          .when("`telemetry.otlp-endpoint` is set")
          .atZero(MetricDefinition.FROM_THE_START);

  public static final MetricDefinition MEMORY_LEFT =
      gauge("headgate.memory.left", "By", "old generation in use after its last collection");
  public static final MetricDefinition MEMORY_BRAKE =
      gauge("headgate.memory.brake", "1", "1 while new work is refused because memory is short");

  /// All of them, in the order of the reference.
  public static final List<MetricDefinition> ALL =
      List.of(
          HANDLERS,
          HANDLERS_WAITING,
          CALLS,
          CALLS_REFUSED,
          CONNECTIONS_REFUSED,
          CONNECTIONS_CUT,
          STRANGERS_LOBBY,
          STRANGERS_CHECKS,
          STRANGERS_PAUSE,
          DENIED,
          CallMetrics.SERVED,
          CallMetrics.MADE,
          WATCH_SUBSCRIBERS,
          WATCH_LAG,
          WATCH_BYTES,
          WATCH_CUTS,
          CONNECTIONS_ACTIVE,
          CONNECTIONS_IDLE,
          CONNECTIONS_WAITING,
          CONNECTIONS_MAX,
          AUDIT_SEQUENCE,
          EXPORTS,
          MEMORY_LEFT,
          MEMORY_BRAKE);

  private ServiceMetrics() {}

  private static MetricDefinition database(String what, String meaning) {
    return gauge("headgate.database.connections." + what, "{connection}", meaning, SCHEMA);
  }
}
