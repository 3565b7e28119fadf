package io.headgate.agent.runtime.telemetry;

import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.driver.DeviceReading.Figures;
import io.headgate.agent.runtime.watch.DeviceWatch;
import io.opentelemetry.api.common.AttributeKey;
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
  private static final AttributeKey<String> GPU = AttributeKey.stringKey("gpu");
  private static final AttributeKey<String> UUID = AttributeKey.stringKey("UUID");
  private static final AttributeKey<String> DEVICE = AttributeKey.stringKey("device");
  private static final AttributeKey<String> MODEL = AttributeKey.stringKey("modelName");
  private static final AttributeKey<String> HOST = AttributeKey.stringKey("Hostname");

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
    all.real("DCGM_FI_DEV_GPU_UTIL", of -> times(of.utilization(), 100));
    all.real("DCGM_FI_DEV_GPU_TEMP", Figures::celsius);
    all.real("DCGM_FI_DEV_POWER_USAGE", Figures::watts);
    all.real("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", of -> times(of.joules(), 1000));
    all.whole("DCGM_FI_DEV_FB_USED", of -> mebibytes(of.figures().memoryUsed()));
    all.whole("DCGM_FI_DEV_FB_FREE", of -> mebibytes(free(of.figures())));
    all.whole("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", of -> of.figures().corrected());
    all.whole("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", of -> of.figures().uncorrected());
    all.whole("DCGM_FI_DEV_XID_ERRORS", of -> OptionalLong.of(of.counts().lastXid()));
    return all;
  }

  private void real(String name, Function<Figures, OptionalDouble> figure) {
    var gauge =
        meter
            .gaugeBuilder(name)
            .buildWithCallback(to ->
                seen.get()
                    .forEach(device ->
                        figure
                            .apply(device.figures())
                            .ifPresent(value -> to.record(value, labels(device.device())))));
    closings.add(gauge::close);
  }

  private void whole(String name, Function<DeviceWatch.Seen, OptionalLong> figure) {
    var gauge =
        meter
            .gaugeBuilder(name)
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
        GPU,
        Integer.toString(device.index()),
        UUID,
        device.uuid(),
        DEVICE,
        "nvidia" + device.index(),
        MODEL,
        device.model(),
        HOST,
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
