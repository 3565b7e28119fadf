package io.headgate.agent.runtime.telemetry;

import static io.headgate.kit.telemetry.MetricDefinition.counter;
import static io.headgate.kit.telemetry.MetricDefinition.gauge;
import static io.headgate.kit.telemetry.MetricDefinition.upDownCounter;

import io.headgate.kit.telemetry.MetricDefinition;
import io.opentelemetry.api.common.AttributeKey;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// The metrics of devices, by OpenTelemetry's conventions for hardware
/// (opentelemetry.io/docs/specs/semconv/hardware, in development), and by the names of NVIDIA's
/// exporter.
public final class DeviceMetrics {
  public static final AttributeKey<Boolean> SIMULATED =
      AttributeKey.booleanKey("headgate.simulated");
  public static final AttributeKey<Long> XID = AttributeKey.longKey("headgate.xid");
  public static final AttributeKey<String> TYPE = AttributeKey.stringKey("hw.type");
  public static final AttributeKey<String> NAME = AttributeKey.stringKey("hw.name");
  public static final AttributeKey<String> MODEL = AttributeKey.stringKey("hw.model");
  public static final AttributeKey<String> VENDOR = AttributeKey.stringKey("hw.vendor");
  public static final AttributeKey<String> DRIVER = AttributeKey.stringKey("hw.driver_version");
  public static final AttributeKey<String> STATE = AttributeKey.stringKey("hw.state");
  public static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");

  public static final AttributeKey<String> DCGM_GPU = AttributeKey.stringKey("gpu");
  public static final AttributeKey<String> DCGM_UUID = AttributeKey.stringKey("UUID");
  public static final AttributeKey<String> DCGM_DEVICE = AttributeKey.stringKey("device");
  public static final AttributeKey<String> DCGM_MODEL = AttributeKey.stringKey("modelName");
  public static final AttributeKey<String> DCGM_HOST = AttributeKey.stringKey("Hostname");

  /// Attributes that tell devices apart.
  public static final List<AttributeKey<?>> DEVICE =
      List.of(AgentMetrics.NODE, AgentMetrics.DEVICE, TYPE, NAME, MODEL, VENDOR, DRIVER, SIMULATED);

  public static final MetricDefinition UTILIZATION =
      gauge("hw.gpu.utilization", "1", "part of the time in which a GPU computed", device());
  public static final MetricDefinition MEMORY_USAGE =
      upDownCounter("hw.gpu.memory.usage", "By", "memory of a GPU in use", device());
  public static final MetricDefinition MEMORY_LIMIT =
      upDownCounter("hw.gpu.memory.limit", "By", "memory of a GPU that jobs can have", device());
  public static final MetricDefinition MEMORY_UTILIZATION =
      gauge("hw.gpu.memory.utilization", "1", "part of the memory of a GPU in use", device());
  public static final MetricDefinition TEMPERATURE =
      gauge("hw.temperature", "Cel", "temperature of a GPU", device());
  public static final MetricDefinition POWER =
      gauge("hw.power", "W", "power that a GPU takes", device());
  public static final MetricDefinition ENERGY =
      counter("hw.energy", "J", "energy that a GPU took since its driver started", device())
          .when("the driver tells it; simulated ones do not");
  public static final MetricDefinition ERRORS =
      counter("hw.errors", "{error}", "errors of the memory of a GPU", device(ERROR));
  public static final MetricDefinition STATUS =
      upDownCounter(
          "hw.status",
          "1",
          "1 for the state that holds: `ok`, `degraded`, `failed`",
          device(STATE));
  public static final MetricDefinition XIDS =
      counter("headgate.device.xids", "{error}", "errors that an NVIDIA GPU reported", device(XID))
          .when("an NVIDIA GPU reported one");
  public static final MetricDefinition CLOSINGS =
      counter(
              "headgate.device.closings",
              "{closing}",
              "how often a GPU became closed to new work",
              device())
          .atZero("with its GPU");

  public static final MetricDefinition DCGM_UTILIZATION =
      dcgm("DCGM_FI_DEV_GPU_UTIL", "percent of the time in which a GPU computed");
  public static final MetricDefinition DCGM_TEMPERATURE =
      dcgm("DCGM_FI_DEV_GPU_TEMP", "degrees Celsius");
  public static final MetricDefinition DCGM_POWER = dcgm("DCGM_FI_DEV_POWER_USAGE", "watts");
  public static final MetricDefinition DCGM_ENERGY =
      dcgm("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "millijoules since the driver started");
  public static final MetricDefinition DCGM_MEMORY_USED =
      dcgm("DCGM_FI_DEV_FB_USED", "mebibytes of memory in use");
  public static final MetricDefinition DCGM_MEMORY_FREE =
      dcgm("DCGM_FI_DEV_FB_FREE", "mebibytes of free memory");
  public static final MetricDefinition DCGM_CORRECTED =
      dcgm("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", "corrected errors of memory");
  public static final MetricDefinition DCGM_UNCORRECTED =
      dcgm("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "uncorrected errors of memory");
  public static final MetricDefinition DCGM_XID =
      dcgm("DCGM_FI_DEV_XID_ERRORS", "number of the last XID");

  /// Metrics by OpenTelemetry's conventions, in the order of the reference.
  public static final List<MetricDefinition> HARDWARE =
      List.of(
          UTILIZATION,
          MEMORY_USAGE,
          MEMORY_LIMIT,
          MEMORY_UTILIZATION,
          TEMPERATURE,
          POWER,
          ENERGY,
          ERRORS,
          STATUS,
          XIDS,
          CLOSINGS);

  /// Metrics by the names of NVIDIA's exporter.
  public static final List<MetricDefinition> DCGM =
      List.of(
          DCGM_UTILIZATION,
          DCGM_TEMPERATURE,
          DCGM_POWER,
          DCGM_ENERGY,
          DCGM_MEMORY_USED,
          DCGM_MEMORY_FREE,
          DCGM_CORRECTED,
          DCGM_UNCORRECTED,
          DCGM_XID);

  private DeviceMetrics() {}

  private static AttributeKey<?>[] device(AttributeKey<?>... more) {
    List<AttributeKey<?>> all = new ArrayList<>(DEVICE);
    Stream.of(more).forEach(all::add);
    return all.toArray(AttributeKey<?>[]::new);
  }

  private static MetricDefinition dcgm(String name, String meaning) {
    // Gauges without a unit, counters too: Prometheus would add a suffix to their names otherwise.
    return gauge(name, "", meaning, DCGM_GPU, DCGM_UUID, DCGM_DEVICE, DCGM_MODEL, DCGM_HOST)
        .when("`gpu.health.dcgm-names` is on, on NVIDIA's GPUs");
  }
}
