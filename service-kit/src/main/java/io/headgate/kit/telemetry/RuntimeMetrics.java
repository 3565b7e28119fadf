package io.headgate.kit.telemetry;

import static io.headgate.kit.telemetry.MetricDefinition.counter;
import static io.headgate.kit.telemetry.MetricDefinition.gauge;
import static io.headgate.kit.telemetry.MetricDefinition.histogram;
import static io.headgate.kit.telemetry.MetricDefinition.upDownCounter;

import io.opentelemetry.api.common.AttributeKey;
import java.util.List;

/// The metrics of the Java runtime, by OpenTelemetry's conventions. A library emits them.
public final class RuntimeMetrics {
  public static final AttributeKey<String> POOL = AttributeKey.stringKey("jvm.memory.pool.name");
  public static final AttributeKey<String> TYPE = AttributeKey.stringKey("jvm.memory.type");
  public static final AttributeKey<String> COLLECTOR = AttributeKey.stringKey("jvm.gc.name");
  public static final AttributeKey<String> ACTION = AttributeKey.stringKey("jvm.gc.action");
  public static final AttributeKey<String> STATE = AttributeKey.stringKey("jvm.thread.state");
  public static final AttributeKey<Boolean> DAEMON = AttributeKey.booleanKey("jvm.thread.daemon");

  public static final MetricDefinition MEMORY_USED =
      upDownCounter("jvm.memory.used", "By", "memory in use", TYPE, POOL);
  public static final MetricDefinition MEMORY_LIMIT =
      upDownCounter("jvm.memory.limit", "By", "most memory", TYPE, POOL);
  public static final MetricDefinition GC_DURATION =
      histogram(
          "jvm.gc.duration",
          "s",
          "time of a garbage collection",
          List.of(0.01, 0.1, 1.0, 10.0),
          COLLECTOR,
          ACTION);
  public static final MetricDefinition THREADS =
      upDownCounter("jvm.thread.count", "{thread}", "platform threads", STATE, DAEMON);
  public static final MetricDefinition CPU_TIME =
      counter("jvm.cpu.time", "s", "CPU time of the process");

  /// All of them, in the order of the reference.
  public static final List<MetricDefinition> ALL =
      List.of(
          MEMORY_USED,
          upDownCounter(
              "jvm.memory.committed", "By", "memory that the system guarantees", TYPE, POOL),
          MEMORY_LIMIT,
          upDownCounter(
              "jvm.memory.used_after_last_gc",
              "By",
              "memory in use after the last collection of the pool",
              TYPE,
              POOL),
          GC_DURATION,
          THREADS,
          counter("jvm.class.loaded", "{class}", "loaded classes"),
          counter("jvm.class.unloaded", "{class}", "unloaded classes"),
          upDownCounter("jvm.class.count", "{class}", "classes that are loaded now"),
          CPU_TIME,
          upDownCounter("jvm.cpu.count", "{cpu}", "processors of the process"),
          gauge("jvm.cpu.recent_utilization", "1", "recent CPU utilization of the process"));

  private RuntimeMetrics() {}
}
