package io.headgate.agent.runtime.telemetry;

import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.driver.DeviceReading.Figures;
import io.headgate.agent.runtime.watch.DeviceWatch;
import io.headgate.kit.telemetry.MetricDefinition;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.Meter;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Supplier;

/// Repeats the metrics of NVIDIA GPUs under the names, units and labels of NVIDIA's dcgm-exporter,
/// for existing dashboards. All are gauges without a unit, counters too: Prometheus would add a
/// suffix to their names otherwise.
final class DcgmInstruments implements AutoCloseable {
  private final Meter meter;
  private final String host;
  private final Supplier<List<DeviceWatch.Seen>> seen;
  private final List<Runnable> closings = new ArrayList<>();

  private DcgmInstruments(Meter meter, String host, Supplier<List<DeviceWatch.Seen>> seen) {
    this.meter = meter;
    this.host = host;
    this.seen = seen;
  }

  /// @param seen how NVIDIA's GPUs are
  static DcgmInstruments observe(Meter meter, String host, Supplier<List<DeviceWatch.Seen>> seen) {
    DcgmInstruments all = new DcgmInstruments(meter, host, seen);
    all.real(DeviceMetrics.DCGM_UTILIZATION, of -> times(of.utilization(), 100));
    all.real(DeviceMetrics.DCGM_TEMPERATURE, Figures::celsius);
    all.real(DeviceMetrics.DCGM_POWER, Figures::watts);
    all.real(DeviceMetrics.DCGM_ENERGY, of -> times(of.joules(), 1000));
    all.whole(DeviceMetrics.DCGM_MEMORY_USED, of -> mebibytes(of.figures().memoryUsed()));
    all.whole(DeviceMetrics.DCGM_MEMORY_FREE, of -> mebibytes(free(of.figures())));
    all.whole(DeviceMetrics.DCGM_CORRECTED, of -> of.figures().corrected());
    all.whole(DeviceMetrics.DCGM_UNCORRECTED, of -> of.figures().uncorrected());
    all.whole(DeviceMetrics.DCGM_XID, of -> OptionalLong.of(of.counts().lastXid()));
    return all;
  }

  private void real(MetricDefinition definition, Function<Figures, OptionalDouble> figure) {
    var gauge =
        definition
            .gauge(meter)
            .buildWithCallback(to ->
                seen.get()
                    .forEach(device ->
                        figure
                            .apply(device.figures())
                            .ifPresent(value -> to.record(value, labels(device.device())))));
    closings.add(gauge::close);
  }

  private void whole(MetricDefinition definition, Function<DeviceWatch.Seen, OptionalLong> figure) {
    var gauge =
        definition
            .gauge(meter)
            .ofLongs()
            .buildWithCallback(to ->
                seen.get()
                    .forEach(device ->
                        figure
                            .apply(device)
                            .ifPresent(value -> to.record(value, labels(device.device())))));
    closings.add(gauge::close);
  }

  private Attributes labels(DeviceInfo device) {
    return Attributes.of(
        DeviceMetrics.DCGM_GPU,
        Integer.toString(device.index()),
        DeviceMetrics.DCGM_UUID,
        device.uuid(),
        DeviceMetrics.DCGM_DEVICE,
        "nvidia" + device.index(),
        DeviceMetrics.DCGM_MODEL,
        device.model(),
        DeviceMetrics.DCGM_HOST,
        host);
  }

  private static OptionalDouble times(OptionalDouble value, double factor) {
    return value.isPresent() ? OptionalDouble.of(value.getAsDouble() * factor) : value;
  }

  private static OptionalLong free(Figures figures) {
    return figures.memoryUsed().isPresent() && figures.memoryLimit().isPresent()
        ? OptionalLong.of(figures.memoryLimit().getAsLong() - figures.memoryUsed().getAsLong())
        : OptionalLong.empty();
  }

  private static OptionalLong mebibytes(OptionalLong bytes) {
    return bytes.isPresent() ? OptionalLong.of(bytes.getAsLong() >> 20) : bytes;
  }

  /// Stops measuring.
  @Override
  public void close() {
    closings.forEach(Runnable::run);
  }
}
