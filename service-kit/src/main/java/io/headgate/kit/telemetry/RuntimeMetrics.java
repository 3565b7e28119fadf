package io.headgate.kit.telemetry;

import static io.headgate.kit.telemetry.MetricDefinition.counter;
import static io.headgate.kit.telemetry.MetricDefinition.gauge;
import static io.headgate.kit.telemetry.MetricDefinition.histogram;
import static io.headgate.kit.telemetry.MetricDefinition.upDownCounter;

import io.opentelemetry.api.common.AttributeKey;
import java.util.List;

/// The metrics of the Java runtime, by OpenTelemetry's conventions. A library emits them.
public final class RuntimeMetrics {
  private static final AttributeKey<String> POOL = AttributeKey.stringKey("jvm.memory.pool.name");
  private static final AttributeKey<String> TYPE = AttributeKey.stringKey("jvm.memory.type");
  private static final AttributeKey<String> COLLECTOR = AttributeKey.stringKey("jvm.gc.name");
  private static final AttributeKey<String> ACTION = AttributeKey.stringKey("jvm.gc.action");
  private static final AttributeKey<String> STATE = AttributeKey.stringKey("jvm.thread.state");
  private static final AttributeKey<Boolean> DAEMON = AttributeKey.booleanKey("jvm.thread.daemon");

  /// All of them, in the order of the reference.
  public static final List<MetricDefinition> ALL =
      List.of(
          upDownCounter("jvm.memory.used", "By", "memory in use", TYPE, POOL),
          upDownCounter(
              "jvm.memory.committed", "By", "memory that the system guarantees", TYPE, POOL),
          upDownCounter("jvm.memory.limit", "By", "most memory", TYPE, POOL),
          upDownCounter(
              "jvm.memory.used_after_last_gc",
              "By",
              "memory in use after the last collection of the pool",
              TYPE,
              POOL),
          histogram(
              "jvm.gc.duration",
              "s",
              "time of a garbage collection",
              List.of(0.01, 0.1, 1.0, 10.0),
              COLLECTOR,
              ACTION),
          upDownCounter("jvm.thread.count", "{thread}", "platform threads", STATE, DAEMON),
          counter("jvm.class.loaded", "{class}", "loaded classes"),
          counter("jvm.class.unloaded", "{class}", "unloaded classes"),
          upDownCounter("jvm.class.count", "{class}", "classes that are loaded now"),
          counter("jvm.cpu.time", "s", "CPU time of the process"),
          upDownCounter("jvm.cpu.count", "{cpu}", "processors of the process"),
          gauge("jvm.cpu.recent_utilization", "1", "recent CPU utilization of the process"));

  private RuntimeMetrics() {}
}
