package io.headgate.agent.runtime.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.core.DeviceSign;
import io.headgate.agent.core.Fixtures;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.core.MemoryMeter;
import io.headgate.agent.core.SliceGrant;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.driver.nvml.FakeGpus;
import io.headgate.agent.driver.nvml.FakeGpus.Version;
import io.headgate.agent.driver.nvml.MigSettings;
import io.headgate.agent.driver.nvml.NvmlGpuDriver;
import io.headgate.agent.driver.nvml.NvmlSteps;
import io.headgate.agent.driver.simulated.SimulatedGpuDriver;
import io.headgate.agent.driver.simulated.SimulatedGpus;
import io.headgate.agent.runtime.watch.DeviceWatch;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.type.GpuQuantity;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.DoublePointData;
import io.opentelemetry.sdk.metrics.data.LongPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.PointData;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Measurements of devices and slices, named by the OpenTelemetry conventions.
class DeviceTelemetryTest {
  private static final String GPU = FakeGpus.uuid(0);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path root;
  private final InMemoryMetricReader reader = InMemoryMetricReader.create();

  private AgentInstruments instruments() {
    OpenTelemetrySdk sdk =
        OpenTelemetrySdk.builder()
            .setMeterProvider(SdkMeterProvider.builder().registerMetricReader(reader).build())
            .build();
    return new AgentInstruments(Telemetry.of(sdk), TimeSource.system(), "n1");
  }

  /// Each point as `name unit {attributes} value`, without what all of a device's have.
  private Map<String, String> points() {
    Map<String, String> points = new TreeMap<>();
    for (MetricData metric : reader.collectAllMetrics()) {
      if (metric.getName().matches("headgate.(enforcement|slice.violations).*|jvm.*")) {
        continue;
      }
      for (PointData point : metric.getData().getPoints()) {
        StringBuilder name = new StringBuilder(metric.getName() + " " + metric.getUnit());
        point
            .getAttributes()
            .forEach((key, value) -> {
              if (key.getKey()
                  .matches(
                      "hw.state|error.type|headgate.(slice|isolation|mechanism|xid|tenant|queue|slot)")) {
                name.append(' ').append(value);
              }
            });
        points.put(name.toString(), value(point));
      }
    }
    return points;
  }

  private static String value(PointData point) {
    return switch (point) {
      case LongPointData number -> Long.toString(number.getValue());
      case DoublePointData number -> Double.toString(number.getValue());
      default -> throw new IllegalArgumentException(point.toString());
    };
  }

  private Map<String, String> attributes(String metric) {
    Map<String, String> attributes = new TreeMap<>();
    reader.collectAllMetrics().stream()
        .filter(data -> data.getName().equals(metric))
        .flatMap(data -> data.getData().getPoints().stream())
        .findFirst()
        .orElseThrow()
        .getAttributes()
        .forEach((key, value) -> attributes.put(key.getKey(), value.toString()));
    return attributes;
  }

  private static DeviceWatch watch(GpuDriver driver) throws InterruptedException {
    DeviceWatch watch = new DeviceWatch(driver, Duration.ofDays(1), TimeSource.system());
    watch.start(_ -> {});
    watch.awaitFirst(PATIENCE);
    return watch;
  }

  @Test
  void tellsWhatAGpuDoes() throws Exception {
    FakeGpus gpus = FakeGpus.in(root, Version.V615).with(false);
    gpus.readings(
        0,
        "utilization 87",
        "temperature 71",
        "power 512500",
        "energy 9000000",
        "ecc-corrected 12",
        "ecc-uncorrected 1");
    NvmlGpuDriver.Settings settings =
        new NvmlGpuDriver.Settings(
            gpus.library().toString(), PATIENCE, MigSettings.KEEP, _ -> Optional.empty());
    try (NvmlGpuDriver driver = NvmlGpuDriver.open(settings, NvmlSteps.NONE);
        DeviceWatch watch = watch(driver);
        AgentInstruments instruments = instruments()) {
      instruments.observeDevices(driver, watch);
      assertThat(points())
          .containsOnly(
              Map.entry("hw.gpu.utilization 1", "0.87"),
              Map.entry("hw.gpu.memory.usage By", "0"),
              Map.entry("hw.gpu.memory.limit By", Long.toString(79L << 30)),
              Map.entry("hw.gpu.memory.utilization 1", "0.0"),
              Map.entry("hw.temperature Cel", "71.0"),
              Map.entry("hw.power W", "512.5"),
              Map.entry("hw.energy J", "9000.0"),
              Map.entry("hw.errors {error} corrected", "12"),
              Map.entry("hw.errors {error} uncorrected", "1"),
              Map.entry("headgate.device.closings {closing}", "0"),
              Map.entry("hw.status 1 ok", "0"),
              Map.entry("hw.status 1 degraded", "1"),
              Map.entry("hw.status 1 failed", "0"));
      assertThat(attributes("hw.power"))
          .isEqualTo(
              Map.of(
                  "headgate.node",
                  "n1",
                  "hw.id",
                  GPU,
                  "hw.type",
                  "gpu",
                  "hw.name",
                  "GPU 0",
                  "hw.model",
                  "H100",
                  "hw.vendor",
                  "NVIDIA",
                  "hw.driver_version",
                  "615.71.09"));
    }
    assertThat(points()).as("closed").isEmpty();
  }

  @Test
  void tellsItOnceMoreAsDcgmDoes() throws Exception {
    FakeGpus gpus = FakeGpus.in(root, Version.V615).with(false);
    gpus.readings(0, "utilization 87", "temperature 71", "power 512500", "energy 9000000");
    NvmlGpuDriver.Settings settings =
        new NvmlGpuDriver.Settings(
            gpus.library().toString(), PATIENCE, MigSettings.KEEP, _ -> Optional.empty());
    try (NvmlGpuDriver driver = NvmlGpuDriver.open(settings, NvmlSteps.NONE);
        DeviceWatch watch = watch(driver);
        AgentInstruments instruments = instruments()) {
      instruments.observeDevicesAsDcgm(driver, watch);
      watch.reported(GPU, new DeviceSign.Xid(31));
      assertThat(points())
          .containsOnly(
              Map.entry("DCGM_FI_DEV_GPU_UTIL ", "87.0"),
              Map.entry("DCGM_FI_DEV_GPU_TEMP ", "71.0"),
              Map.entry("DCGM_FI_DEV_POWER_USAGE ", "512.5"),
              Map.entry("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION ", "9000000.0"),
              Map.entry("DCGM_FI_DEV_FB_USED ", "0"),
              Map.entry("DCGM_FI_DEV_FB_FREE ", Long.toString(79 << 10)),
              Map.entry("DCGM_FI_DEV_XID_ERRORS ", "31"));
      assertThat(attributes("DCGM_FI_DEV_GPU_TEMP"))
          .isEqualTo(
              Map.of(
                  "gpu", "0",
                  "UUID", GPU,
                  "device", "nvidia0",
                  "modelName", "H100",
                  "Hostname", "n1"));
    }
  }

  @Test
  void saysOfSimulatedDevicesThatTheyAre() throws Exception {
    try (SimulatedGpuDriver driver = new SimulatedGpuDriver(SimulatedGpus.parse("1xH100"), "n1");
        DeviceWatch watch = watch(driver);
        AgentInstruments instruments = instruments()) {
      instruments.observeDevices(driver, watch);
      assertThat(points())
          .contains(Map.entry("hw.gpu.utilization 1", "0.0"), Map.entry("hw.status 1 ok", "1"));
      assertThat(attributes("hw.gpu.utilization"))
          .contains(Map.entry("hw.vendor", "simulated"), Map.entry("headgate.simulated", "true"));
    }
  }

  @Test
  void numbersSlicesAndKeepsTheirNumbers() {
    List<MemoryMeter.Use> both =
        List.of(
            new MemoryMeter.Use(Fixtures.key("a"), GPU, 5, 10),
            new MemoryMeter.Use(Fixtures.key("b"), GPU, 7, 20));
    List<List<MemoryMeter.Use>> now = new ArrayList<>(List.of(both));
    try (AgentInstruments instruments = instruments()) {
      instruments.observeSlices(List::of, now::getLast, _ -> "half");
      assertThat(points())
          .containsOnly(
              Map.entry("headgate.slice.memory.usage By half 0 acme", "5"),
              Map.entry("headgate.slice.memory.usage By half 1 acme", "7"),
              Map.entry("headgate.slice.memory.limit By half 0 acme", "10"),
              Map.entry("headgate.slice.memory.limit By half 1 acme", "20"));
      now.add(
          List.of(
              new MemoryMeter.Use(Fixtures.key("b"), GPU, 8, 20),
              new MemoryMeter.Use(Fixtures.key("c"), GPU, 1, 10)));
      assertThat(points())
          .containsOnly(
              Map.entry("headgate.slice.memory.usage By half 1 acme", "8"),
              Map.entry("headgate.slice.memory.usage By half 0 acme", "1"),
              Map.entry("headgate.slice.memory.limit By half 1 acme", "20"),
              Map.entry("headgate.slice.memory.limit By half 0 acme", "10"));
    }
  }

  @Test
  void countsWhatDevicesReportAndHowOftenTheyAreClosed() throws Exception {
    try (SimulatedGpuDriver driver = new SimulatedGpuDriver(SimulatedGpus.parse("1xH100"), "n1");
        DeviceWatch watch = watch(driver);
        AgentInstruments instruments = instruments()) {
      instruments.observeDevices(driver, watch);
      String gpu = driver.devices().getFirst().uuid();
      watch.reported(gpu, new DeviceSign.Xid(31));
      watch.reported(gpu, new DeviceSign.Xid(79));
      watch.reported(gpu, new DeviceSign.Xid(79));
      assertThat(points())
          .contains(
              Map.entry("headgate.device.xids {error} 31", "1"),
              Map.entry("headgate.device.xids {error} 79", "2"),
              Map.entry("headgate.device.closings {closing}", "1"));
    }
  }

  @Test
  void saysHowSlicesAreIsolated() {
    SliceGrant half = new SliceGrant(0, GPU, GpuQuantity.parse("1/2"), 0);
    SlicePlan watched =
        new SlicePlan(Fixtures.key("a"), 0, half, "watched", IsolationLevel.REACTIVE, 10);
    SlicePlan whole =
        new SlicePlan(Fixtures.key("b"), 0, half, "whole", IsolationLevel.HARDWARE, 10);
    try (AgentInstruments instruments = instruments()) {
      instruments.observeSlices(
          () -> List.of(watched, whole),
          () -> List.of(new MemoryMeter.Use(Fixtures.key("b"), GPU, 5, 10)),
          _ -> "half");
      assertThat(points())
          .as("with one number for each slice")
          .containsOnly(
              Map.entry("headgate.slice.isolation 1 reactive watched 0", "1"),
              Map.entry("headgate.slice.isolation 1 hardware whole 1", "1"),
              Map.entry("headgate.slice.memory.usage By half 1 acme", "5"),
              Map.entry("headgate.slice.memory.limit By half 1 acme", "10"));
    }
  }
}
