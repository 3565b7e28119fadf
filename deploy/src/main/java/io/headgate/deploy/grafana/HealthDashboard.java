package io.headgate.deploy.grafana;

import static io.headgate.deploy.grafana.Promql.all;
import static io.headgate.deploy.grafana.Promql.increase;
import static io.headgate.deploy.grafana.Promql.max;
import static io.headgate.deploy.grafana.Promql.quantile;
import static io.headgate.deploy.grafana.Promql.rate;
import static io.headgate.deploy.grafana.Promql.sum;

import io.headgate.kit.telemetry.CallMetrics;
import io.headgate.kit.telemetry.RuntimeMetrics;
import io.headgate.kit.telemetry.ServiceMetrics;
import java.util.List;

/// 10: the services themselves.
final class HealthDashboard {
  static final String ID = "headgate-health";

  private static final String OVERLOAD = "docs/operations/overload.md";

  /// Methods whose calls last until the caller has had enough.
  static final String STREAMS = ".*/(Connect|ReadJobLogs|Watch.*)";

  private HealthDashboard() {}

  static Dashboard make() {
    return new Dashboard(
        ID,
        "Headgate / 10 Service health",
        "Calls, watches, databases, memory and telemetry of the services.",
        Annotations.ALL,
        List.of(
            Row.of("Calls", calls(), errors(), slow(), refused(), handlers(), denied()),
            Row.of("Watches", subscribers(), lag(), bytes()),
            Row.of("Databases", connections(), waiting(), audit()),
            Row.of("Processes", brake(), memory(), collections(), threads(), cpu()),
            Row.of("Telemetry", exports())));
  }

  private static Panel calls() {
    return Panel.lines("Calls", Unit.PER_SECOND, "Served calls a second, the ten most frequent.")
        .explainedBy(OVERLOAD)
        .query(
            Query.range(
                Query.by(CallMetrics.METHOD),
                most(sum(rate(all(CallMetrics.SERVED).count()), CallMetrics.METHOD))));
  }

  /// The ten methods with the highest values, by their names without the service's.
  private static String most(String byMethod) {
    return Promql.shortened("topk(10, " + byMethod + ")", CallMetrics.METHOD);
  }

  private static Panel errors() {
    Promql.Series served = all(CallMetrics.SERVED).count();
    return Panel.lines(
            "Failed calls",
            Unit.PER_SECOND,
            "Calls a second that ended with another status than OK, by status. A stream that its"
                + " caller cancels has not failed.")
        .asks("headgate help exit-codes")
        .query(
            Query.range(
                Query.by(CallMetrics.STATUS),
                sum(
                    rate(served.not(CallMetrics.STATUS, "OK"))
                        + " unless "
                        + rate(
                            served
                                .is(CallMetrics.STATUS, "CANCELLED")
                                .like(CallMetrics.METHOD, STREAMS)),
                    CallMetrics.STATUS)));
  }

  private static Panel slow() {
    return Panel.lines(
            "Time of calls, p99",
            Unit.SECONDS,
            "The ten slowest methods. Calls that follow a resource end late by design.")
        .explainedBy(OVERLOAD)
        .query(
            Query.quantile(
                Query.by(CallMetrics.METHOD),
                most(quantile(0.99, all(CallMetrics.SERVED), CallMetrics.METHOD))));
  }

  private static Panel refused() {
    return Panel.lines(
            "Refused under load",
            Unit.PER_SECOND,
            "Calls and connections a second that servers refused or cut to stay responsive.")
        .explainedBy(OVERLOAD)
        .query(
            Query.range("calls", sum(rate(all(ServiceMetrics.CALLS_REFUSED)))),
            Query.range("connections", sum(rate(all(ServiceMetrics.CONNECTIONS_REFUSED)))),
            Query.range("connections cut", sum(rate(all(ServiceMetrics.CONNECTIONS_CUT)))));
  }

  private static Panel handlers() {
    return Panel.lines(
            "Work in progress",
            Unit.COUNT,
            "Calls with their streams, running handlers, and events that wait for a handler.")
        .explainedBy(OVERLOAD)
        .query(
            Query.range("calls", sum(all(ServiceMetrics.CALLS))),
            Query.range("handlers", sum(all(ServiceMetrics.HANDLERS))),
            Query.range("waiting events", sum(all(ServiceMetrics.HANDLERS_WAITING))));
  }

  private static Panel denied() {
    return Panel.lines(
            "Denials",
            Unit.PER_SECOND,
            "Calls a second that were refused for lack of rights, by method and reason.")
        .asks("headgate whoami")
        .explainedBy("docs/security.md")
        .watches("A1")
        .query(
            Query.range(
                Query.by(ServiceMetrics.METHOD, ServiceMetrics.REASON),
                sum(
                    rate(all(ServiceMetrics.DENIED)),
                    ServiceMetrics.METHOD,
                    ServiceMetrics.REASON)));
  }

  private static Panel subscribers() {
    return Panel.lines(
            "Watchers", Unit.COUNT, "Open watches, by watched resource and role of the caller.")
        .explainedBy(OVERLOAD)
        .size(8, 8)
        .query(
            Query.range(
                Query.by(ServiceMetrics.WATCH, ServiceMetrics.ROLE),
                sum(
                    all(ServiceMetrics.WATCH_SUBSCRIBERS),
                    ServiceMetrics.WATCH,
                    ServiceMetrics.ROLE)));
  }

  private static Panel lag() {
    return Panel.lines(
            "Lag of watches, p99",
            Unit.SECONDS,
            "From a commit until its news are handed to a watcher.")
        .explainedBy(OVERLOAD)
        .size(8, 8)
        .query(
            Query.quantile(
                Query.by(ServiceMetrics.WATCH),
                quantile(0.99, all(ServiceMetrics.WATCH_LAG), ServiceMetrics.WATCH)));
  }

  private static Panel bytes() {
    return Panel.lines(
            "Unread by watchers",
            Unit.BYTES,
            "Bytes made for watchers that their clients have not taken. A client that takes nothing"
                + " is cut off.")
        .explainedBy(OVERLOAD)
        .size(8, 8)
        .query(
            Query.range(
                Query.by(ServiceMetrics.WATCH),
                sum(all(ServiceMetrics.WATCH_BYTES), ServiceMetrics.WATCH)));
  }

  private static Panel connections() {
    return Panel.lines(
            "Connections in use",
            Unit.SHARE,
            "Connections in use by the most there may be, by schema of the database.")
        .explainedBy("docs/operations/database-roles.md")
        .size(8, 8)
        .query(
            Query.range(
                Query.by(ServiceMetrics.SCHEMA),
                sum(all(ServiceMetrics.CONNECTIONS_ACTIVE), ServiceMetrics.SCHEMA)
                    + " / "
                    + sum(all(ServiceMetrics.CONNECTIONS_MAX), ServiceMetrics.SCHEMA)));
  }

  private static Panel waiting() {
    return Panel.lines(
            "Waiting for a connection", Unit.COUNT, "Threads that wait for one, by schema.")
        .explainedBy(OVERLOAD)
        .size(8, 8)
        .query(
            Query.range(
                Query.by(ServiceMetrics.SCHEMA),
                sum(all(ServiceMetrics.CONNECTIONS_WAITING), ServiceMetrics.SCHEMA)));
  }

  private static Panel audit() {
    return Panel.lines(
            "Audit entries",
            Unit.COUNT,
            "The number of the last anchored entry of each chain. It never falls.")
        .asks("headgate audit --verify")
        .size(8, 8)
        .query(
            Query.range(
                Query.by(ServiceMetrics.SCHEMA, ServiceMetrics.TENANT),
                max(
                    all(ServiceMetrics.AUDIT_SEQUENCE),
                    ServiceMetrics.SCHEMA,
                    ServiceMetrics.TENANT)));
  }

  private static Panel brake() {
    return Panel.stat(
            "Memory brake",
            Unit.COUNT,
            "1 while the scheduler refuses new work because its memory is short.")
        .explainedBy(OVERLOAD)
        .thresholds(Threshold.MUST_BE_ZERO)
        .size(4, 8)
        .query(Query.range("brake", max(all(ServiceMetrics.MEMORY_BRAKE))));
  }

  private static Panel memory() {
    return Panel.lines(
            "Memory of Java",
            Unit.BYTES,
            "Heap in use, its limit, and the leader's old generation after its last collection, of"
                + " all processes together.")
        .explainedBy(OVERLOAD)
        .size(10, 8)
        .query(
            Query.range(
                "heap", sum(all(RuntimeMetrics.MEMORY_USED).is(RuntimeMetrics.TYPE, "heap"))),
            Query.range(
                "other", sum(all(RuntimeMetrics.MEMORY_USED).not(RuntimeMetrics.TYPE, "heap"))),
            Query.range(
                "heap limit",
                sum(all(RuntimeMetrics.MEMORY_LIMIT).is(RuntimeMetrics.TYPE, "heap") + " > 0")),
            Query.range("old generation", sum(all(ServiceMetrics.MEMORY_LEFT))));
  }

  private static Panel collections() {
    return Panel.lines(
            "Garbage collection",
            Unit.SHARE,
            "The part of the time that collections take, by collector; of all processes.")
        .explainedBy(OVERLOAD)
        .size(10, 8)
        .query(
            Query.range(
                Query.by(RuntimeMetrics.COLLECTOR, RuntimeMetrics.ACTION),
                sum(
                    rate(all(RuntimeMetrics.GC_DURATION).part("_sum")),
                    RuntimeMetrics.COLLECTOR,
                    RuntimeMetrics.ACTION)));
  }

  private static Panel threads() {
    return Panel.lines("Platform threads", Unit.COUNT, "Threads by state, of all processes.")
        .explainedBy(OVERLOAD)
        .query(
            Query.range(
                Query.by(RuntimeMetrics.STATE),
                sum(all(RuntimeMetrics.THREADS), RuntimeMetrics.STATE)));
  }

  private static Panel cpu() {
    return Panel.lines("CPUs", Unit.CORES, "Processors that the processes keep busy.")
        .explainedBy(OVERLOAD)
        .query(Query.range("CPUs", sum(rate(all(RuntimeMetrics.CPU_TIME)))));
  }

  private static Panel exports() {
    return Panel.lines(
            "Exports by OTLP",
            Unit.COUNT,
            "Exports in each interval, by signal and outcome. Failed ones are dropped.")
        .explainedBy("docs/reference/metrics.md")
        .size(24, 7)
        .query(
            Query.range(
                Query.by(ServiceMetrics.SIGNAL, ServiceMetrics.OUTCOME),
                sum(
                    increase(all(ServiceMetrics.EXPORTS), Promql.RATE),
                    ServiceMetrics.SIGNAL,
                    ServiceMetrics.OUTCOME)));
  }
}
