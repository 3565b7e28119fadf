package io.headgate.agent.runtime.telemetry;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.MemoryMeter;
import io.headgate.agent.driver.DeviceReading.Figures;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.runtime.watch.DeviceWatch;
import io.headgate.kit.telemetry.Telemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableDoubleMeasurement;
import io.opentelemetry.api.metrics.ObservableLongMeasurement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Metrics of devices, by the names of OpenTelemetry's semantic conventions for hardware
/// (opentelemetry.io/docs/specs/semconv/hardware, in development), and of slices. A collection
/// reads no device: it reports the latest samples of the watches.
final class DeviceInstruments implements AutoCloseable {
  private static final String UTILIZATION = "hw.gpu.utilization";
  private static final String MEMORY_USAGE = "hw.gpu.memory.usage";
  private static final String MEMORY_LIMIT = "hw.gpu.memory.limit";
  private static final String MEMORY_UTILIZATION = "hw.gpu.memory.utilization";
  private static final String TEMPERATURE = "hw.temperature";
  private static final String POWER = "hw.power";
  private static final String ENERGY = "hw.energy";
  private static final String ERRORS = "hw.errors";
  private static final String STATUS = "hw.status";
  private static final String XIDS = "headgate.device.xids";
  private static final String CLOSINGS = "headgate.device.closings";
  private static final String SLICE_ISOLATION = "headgate.slice.isolation";
  private static final String SLICE_USAGE = "headgate.slice.memory.usage";
  private static final String SLICE_LIMIT = "headgate.slice.memory.limit";

  private static final AttributeKey<String> NODE = AttributeKey.stringKey("headgate.node");
  private static final AttributeKey<Boolean> SIMULATED =
      AttributeKey.booleanKey("headgate.simulated");
  private static final AttributeKey<Long> SLICE = AttributeKey.longKey("headgate.slice");
  private static final AttributeKey<String> MECHANISM =
      AttributeKey.stringKey("headgate.mechanism");
  private static final AttributeKey<String> ISOLATION =
      AttributeKey.stringKey("headgate.isolation");
  private static final AttributeKey<Long> XID = AttributeKey.longKey("headgate.xid");
  private static final AttributeKey<String> ID = AttributeKey.stringKey("hw.id");
  private static final AttributeKey<String> TYPE = AttributeKey.stringKey("hw.type");
  private static final AttributeKey<String> NAME = AttributeKey.stringKey("hw.name");
  private static final AttributeKey<String> MODEL = AttributeKey.stringKey("hw.model");
  private static final AttributeKey<String> VENDOR = AttributeKey.stringKey("hw.vendor");
  private static final AttributeKey<String> DRIVER = AttributeKey.stringKey("hw.driver_version");
  private static final AttributeKey<String> STATE = AttributeKey.stringKey("hw.state");
  private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");

  private static final List<String> STATES = List.of("ok", "degraded", "failed");

  private final Meter meter;
  private final String node;
  private final List<Runnable> closings = new ArrayList<>();

  DeviceInstruments(Telemetry telemetry, String scope, String node) {
    this.meter = telemetry.meter(scope);
    this.node = node;
  }

  /// @param seen how the devices are
  void observe(GpuDriver driver, Supplier<List<DeviceWatch.Seen>> seen) {
    Function<DeviceInfo, Attributes> attributes = device -> attributes(driver, device);
    Readings of = new Readings(seen, attributes);
    gauge(UTILIZATION, "1", of.doubles(Figures::utilization));
    level(MEMORY_USAGE, of.longs(Figures::memoryUsed));
    level(MEMORY_LIMIT, of.longs(Figures::memoryLimit));
    gauge(MEMORY_UTILIZATION, "1", of.doubles(DeviceInstruments::memoryPart));
    gauge(TEMPERATURE, "Cel", of.doubles(Figures::celsius));
    gauge(POWER, "W", of.doubles(Figures::watts));
    var energy =
        meter
            .counterBuilder(ENERGY)
            .ofDoubles()
            .setUnit("J")
            .buildWithCallback(of.doubles(Figures::joules));
    closings.add(energy::close);
    counter(ERRORS, "{error}", seen, attributes, DeviceInstruments::errors);
    counter(XIDS, "{error}", seen, attributes, DeviceInstruments::xids);
    counter(
        CLOSINGS,
        "{closing}",
        seen,
        attributes,
        (device, its, to) -> to.record(device.counts().closings(), its));
    var status =
        meter
            .upDownCounterBuilder(STATUS)
            .setUnit("1")
            .buildWithCallback(to ->
                seen.get()
                    .forEach(device -> status(device, attributes.apply(device.device()), to)));
    closings.add(status::close);
  }

  /// The existing slices, and the memory that attempts use of them. A slice is identified by its
  /// number on its device, which it keeps; jobs are too many to be an attribute of a metric.
  void observeSlices(Supplier<List<SlicePlan>> plans, Supplier<List<MemoryMeter.Use>> uses) {
    Ordinals ordinals = new Ordinals();
    var isolation = meter.gaugeBuilder(SLICE_ISOLATION).ofLongs().setUnit("1").buildObserver();
    var usage = meter.upDownCounterBuilder(SLICE_USAGE).setUnit("By").buildObserver();
    var limit = meter.upDownCounterBuilder(SLICE_LIMIT).setUnit("By").buildObserver();
    var reading =
        meter.batchCallback(
            () -> {
              List<SlicePlan> made = plans.get();
              List<MemoryMeter.Use> used = uses.get();
              ordinals.retain(
                  Stream.concat(made.stream().map(Place::of), used.stream().map(Place::of)));
              for (SlicePlan plan : made) {
                isolation.record(1, slice(ordinals, plan));
              }
              for (MemoryMeter.Use use : used) {
                usage.record(use.bytes(), slice(ordinals, Place.of(use)));
                limit.record(use.limitBytes(), slice(ordinals, Place.of(use)));
              }
            },
            isolation,
            usage,
            limit);
    closings.add(reading::close);
  }

  private Attributes slice(Ordinals ordinals, SlicePlan plan) {
    return slice(ordinals, Place.of(plan)).toBuilder()
        .put(MECHANISM, plan.mechanism())
        .put(ISOLATION, plan.isolation().name().toLowerCase(Locale.ROOT))
        .build();
  }

  private Attributes slice(Ordinals ordinals, Place place) {
    return Attributes.of(NODE, node, ID, place.device(), SLICE, ordinals.of(place));
  }

  /// The share of a device that one attempt has.
  private record Place(String device, AttemptKey attempt) {
    static Place of(SlicePlan plan) {
      return new Place(plan.grant().deviceUuid(), plan.attempt());
    }

    static Place of(MemoryMeter.Use use) {
      return new Place(use.deviceUuid(), use.attempt());
    }
  }

  /// Numbers of places on their devices: the smallest free one when a place is first seen. Confined
  /// to the one collection that runs at a time.
  private static final class Ordinals {
    private final Map<Place, Long> numbers = new HashMap<>();

    void retain(Stream<Place> there) {
      numbers.keySet().retainAll(there.collect(Collectors.toSet()));
    }

    long of(Place place) {
      @Nullable Long known = numbers.get(place);
      if (known != null) {
        return known;
      }
      long number = 0;
      while (isTaken(place.device(), number)) {
        number++;
      }
      numbers.put(place, number);
      return number;
    }

    private boolean isTaken(String device, long number) {
      return numbers.entrySet().stream()
          .anyMatch(entry -> entry.getKey().device().equals(device) && entry.getValue() == number);
    }
  }

  private Attributes attributes(GpuDriver driver, DeviceInfo device) {
    String[] words = driver.description(device.uuid()).split(" ", 2);
    var attributes =
        Attributes.builder()
            .put(NODE, node)
            .put(ID, device.uuid())
            .put(TYPE, "gpu")
            .put(NAME, "GPU " + device.index())
            .put(MODEL, device.model())
            .put(
                VENDOR,
                switch (words[0]) {
                  case "nvml" -> "NVIDIA";
                  case "rocm" -> "AMD";
                  default -> words[0];
                });
    if (words.length == 2) {
      attributes.put(DRIVER, words[1]);
    }
    if (driver.isSimulated()) {
      attributes.put(SIMULATED, true);
    }
    return attributes.build();
  }

  private static OptionalDouble memoryPart(Figures figures) {
    return figures.memoryUsed().isPresent() && figures.memoryLimit().orElse(0) > 0
        ? OptionalDouble.of(
            figures.memoryUsed().getAsLong() / (double) figures.memoryLimit().getAsLong())
        : OptionalDouble.empty();
  }

  private static void errors(
      DeviceWatch.Seen seen, Attributes attributes, ObservableLongMeasurement to) {
    seen.figures()
        .corrected()
        .ifPresent(count -> to.record(count, with(attributes, ERROR, "corrected")));
    seen.figures()
        .uncorrected()
        .ifPresent(count -> to.record(count, with(attributes, ERROR, "uncorrected")));
  }

  private static void xids(
      DeviceWatch.Seen seen, Attributes attributes, ObservableLongMeasurement to) {
    seen.counts()
        .xids()
        .forEach((number, count) ->
            to.record(count, attributes.toBuilder().put(XID, (long) number).build()));
  }

  private static void status(
      DeviceWatch.Seen seen, Attributes attributes, ObservableLongMeasurement to) {
    String now =
        switch (seen.condition().health()) {
          case HEALTHY -> "ok";
          case DEGRADED -> "degraded";
          case UNHEALTHY -> "failed";
        };
    STATES.forEach(state -> to.record(state.equals(now) ? 1 : 0, with(attributes, STATE, state)));
  }

  private static Attributes with(Attributes attributes, AttributeKey<String> key, String value) {
    return attributes.toBuilder().put(key, value).build();
  }

  /// Figures of all devices on their way to an instrument.
  private record Readings(
      Supplier<List<DeviceWatch.Seen>> seen, Function<DeviceInfo, Attributes> attributes) {
    Consumer<ObservableDoubleMeasurement> doubles(Function<Figures, OptionalDouble> figure) {
      return to ->
          seen.get()
              .forEach(device ->
                  figure
                      .apply(device.figures())
                      .ifPresent(value -> to.record(value, attributes.apply(device.device()))));
    }

    Consumer<ObservableLongMeasurement> longs(Function<Figures, OptionalLong> figure) {
      return to ->
          seen.get()
              .forEach(device ->
                  figure
                      .apply(device.figures())
                      .ifPresent(value -> to.record(value, attributes.apply(device.device()))));
    }
  }

  private interface Count {
    void record(DeviceWatch.Seen seen, Attributes attributes, ObservableLongMeasurement to);
  }

  private void counter(
      String name,
      String unit,
      Supplier<List<DeviceWatch.Seen>> seen,
      Function<DeviceInfo, Attributes> attributes,
      Count count) {
    var made =
        meter
            .counterBuilder(name)
            .setUnit(unit)
            .buildWithCallback(to ->
                seen.get()
                    .forEach(
                        device -> count.record(device, attributes.apply(device.device()), to)));
    closings.add(made::close);
  }

  private void gauge(String name, String unit, Consumer<ObservableDoubleMeasurement> callback) {
    var made = meter.gaugeBuilder(name).setUnit(unit).buildWithCallback(callback);
    closings.add(made::close);
  }

  private void level(String name, Consumer<ObservableLongMeasurement> callback) {
    var made = meter.upDownCounterBuilder(name).setUnit("By").buildWithCallback(callback);
    closings.add(made::close);
  }

  /// Stops measuring.
  @Override
  public void close() {
    closings.forEach(Runnable::run);
  }
}
