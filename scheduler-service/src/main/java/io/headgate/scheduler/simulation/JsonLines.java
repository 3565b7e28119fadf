package io.headgate.scheduler.simulation;

import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.SlicePlacement;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.usage.TenantUsage;
import io.headgate.scheduler.simulation.Summary.PolicyLine;
import io.headgate.scheduler.simulation.Summary.PoolLine;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// A simulation's output: one JSON object a line, each with its keys in one order, so that equal
/// simulations have equal bytes. Times are seconds with the suffix `s`, quantities strings in
/// lowest terms.
public final class JsonLines {
  private final StringBuilder json = new StringBuilder();

  private JsonLines() {}

  /// Without the line's end.
  public static String line(SimulationEvent event) {
    JsonLines line = new JsonLines();
    line.json.append('{');
    line.text("at", time(event.atMs()));
    switch (event) {
      case SimulationEvent.Start start -> line.start(start);
      case SimulationEvent.Wait(long _, String job, String reason, Map<String, String> detail) -> {
        line.event("wait", job);
        line.text("reason", reason);
        line.key("detail").append('{');
        detail.forEach(line::text);
        line.json.append('}');
      }
      case SimulationEvent.Preempt preempt -> {
        line.event("preempt", preempt.job());
        line.number("attempt", preempt.attempt());
        line.text("by", preempt.by());
        line.text("rule", preempt.rule());
      }
      case SimulationEvent.Stop stop -> {
        line.event("stop", stop.job());
        line.number("attempt", stop.attempt());
        line.text("outcome", stop.outcome().name().toLowerCase(Locale.ROOT));
      }
      case SimulationEvent.Finish finish -> {
        line.event("finish", finish.job());
        line.number("attempt", finish.attempt());
      }
      case SimulationEvent.Cancel cancel -> line.event("cancel", cancel.job());
      case SimulationEvent.Draft draft -> line.event("draft", draft.job());
      case SimulationEvent.Scale scale -> {
        line.ofPool("scale", scale);
        line.number("instances", scale.instances());
      }
      case SimulationEvent.Join join -> {
        line.ofPool("join", join);
        line.text("node", join.node());
      }
      case SimulationEvent.Leave leave -> {
        line.ofPool("leave", leave);
        line.text("node", leave.node());
      }
    }
    return line.json.append('}').toString();
  }

  /// Without the line's end.
  public static String line(Summary summary) {
    JsonLines line = new JsonLines();
    StringBuilder json = line.json.append('{');
    line.text("event", "summary");
    line.text("until", time(summary.untilMs()));
    line.key("jobs").append('{');
    line.number("finished", summary.finished());
    line.number("running", summary.running());
    line.number("waiting", summary.waiting());
    line.number("cancelled", summary.cancelled());
    json.append('}');
    line.number("preemptions", summary.preemptions());
    line.key("gpuSeconds").append('{');
    line.text("capacity", summary.capacity().toString());
    line.text("used", summary.used().toString());
    line.text("lost", summary.lost().toString());
    json.append('}');
    line.key("policies").append('{');
    summary.policies().forEach(line::policy);
    json.append('}');
    line.key("pools").append('{');
    summary.pools().forEach(line::pool);
    json.append('}');
    if (!summary.tenants().isEmpty()) {
      line.key("tenants").append('[');
      summary.tenants().forEach(line::tenant);
      json.append(']');
    }
    return json.append('}').toString();
  }

  /// `0s`, `12.5s`, `3600s`.
  public static String time(long ms) {
    return seconds(ms) + "s";
  }

  /// `0`, `12.5`, `3600`.
  static String seconds(long ms) {
    return ms % 1000 == 0
        ? Long.toString(ms / 1000)
        : BigDecimal.valueOf(ms, 3).stripTrailingZeros().toPlainString();
  }

  private void start(SimulationEvent.Start start) {
    event("start", start.job());
    number("attempt", start.attempt());
    text("queue", start.queue());
    text("pool", start.place().pool().name());
    List<WorkerPlace> workers = start.place().workers();
    if (workers.size() == 1) {
      place(workers.getFirst());
      return;
    }
    key("workers").append('[');
    for (WorkerPlace worker : workers) {
      separate().append('{');
      place(worker);
      json.append('}');
    }
    json.append(']');
  }

  private void place(WorkerPlace place) {
    text("node", place.node().name());
    key("devices").append('[');
    for (Slice slice : place.slices()) {
      separate().append('{');
      number("index", slice.device());
      text("gpus", slice.quantity().toString());
      slice.placement().ifPresent(placement -> placement(slice, placement));
      json.append('}');
    }
    json.append(']');
  }

  /// Writes the given quantity only if it exceeds the requested one.
  private void placement(Slice slice, SlicePlacement placement) {
    if (placement.gives().compareTo(slice.quantity()) > 0) {
      text("given", placement.gives().toString());
    }
    text("slice", placement.label());
  }

  private void policy(PolicyLine policy) {
    key(policy.name()).append('{');
    text("usage", policy.usage().toString());
    text("reservation", policy.reservation().toString());
    text("limit", policy.limit().toString());
    key("waitSeconds").append('{');
    key("p50").append(seconds(policy.waitP50Ms()));
    key("p99").append(seconds(policy.waitP99Ms()));
    json.append("}}");
  }

  private void tenant(TenantUsage tenant) {
    separate().append('{');
    text("tenant", tenant.tenant().name());
    text("pool", tenant.pool().name());
    text("used", tenant.used().toString());
    text("reservation", tenant.reservation().toString());
    tenant.limit().ifPresent(limit -> text("limit", limit.toString()));
    json.append('}');
  }

  private void pool(PoolLine pool) {
    key(pool.name()).append('{');
    text("used", pool.used().toString());
    text("capacity", pool.capacity().toString());
    json.append('}');
  }

  private void event(String event, String job) {
    text("event", event);
    text("job", job);
  }

  private void ofPool(String event, SimulationEvent.OfPool of) {
    text("event", event);
    text("pool", of.pool());
  }

  private void text(String key, String value) {
    quote(key(key), value);
  }

  private void number(String key, long value) {
    key(key).append(value);
  }

  private StringBuilder key(String key) {
    quote(separate(), key);
    return json.append(':');
  }

  /// A comma, unless the object or list has just begun.
  private StringBuilder separate() {
    char last = json.charAt(json.length() - 1);
    return last == '{' || last == '[' ? json : json.append(',');
  }

  private static void quote(StringBuilder json, String value) {
    json.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '"' -> json.append("\\\"");
        case '\\' -> json.append("\\\\");
        default -> {
          if (c < 0x20 || (c >= 0x7F && c <= 0x9F)) {
            json.append("\\u%04x".formatted((int) c));
          } else {
            json.append(c);
          }
        }
      }
    }
    json.append('"');
  }
}
