package io.headgate.agent.runtime.telemetry;

import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.MemoryMeter;
import io.headgate.agent.driver.DeviceReading.Figures;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.runtime.watch.DeviceWatch;
import io.headgate.kit.telemetry.MetricDefinition;
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

/// Measures devices and slices. A collection reads no device: it reports the latest samples of the
/// watches.
final class DeviceInstruments implements AutoCloseable {
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
    gauge(DeviceMetrics.UTILIZATION, of.doubles(Figures::utilization));
    level(DeviceMetrics.MEMORY_USAGE, of.longs(Figures::memoryUsed));
    level(DeviceMetrics.MEMORY_LIMIT, of.longs(Figures::memoryLimit));
    gauge(DeviceMetrics.MEMORY_UTILIZATION, of.doubles(DeviceInstruments::memoryPart));
    gauge(DeviceMetrics.TEMPERATURE, of.doubles(Figures::celsius));
    gauge(DeviceMetrics.POWER, of.doubles(Figures::watts));
    var energy =
        DeviceMetrics.ENERGY.doubleCounter(meter).buildWithCallback(of.doubles(Figures::joules));
    closings.add(energy::close);
    counter(DeviceMetrics.ERRORS, seen, attributes, DeviceInstruments::errors);
    counter(DeviceMetrics.XIDS, seen, attributes, DeviceInstruments::xids);
    counter(
        DeviceMetrics.CLOSINGS,
        seen,
        attributes,
        (device, its, to) -> to.record(device.counts().closings(), its));
    var status =
        DeviceMetrics.STATUS
            .upDownCounter(meter)
            .buildWithCallback(to ->
                seen.get()
                    .forEach(device -> status(device, attributes.apply(device.device()), to)));
    closings.add(status::close);
  }

  /// The existing slices, and the memory that attempts use of them. A slice is identified by its
  /// number on its device, which it keeps; jobs are too many to be an attribute of a metric.
  ///
  /// @param queues the queue of each attempt
  void observeSlices(
      Supplier<List<SlicePlan>> plans,
      Supplier<List<MemoryMeter.Use>> uses,
      Function<AttemptKey, String> queues) {
    Ordinals ordinals = new Ordinals();
    var isolation = AgentMetrics.SLICE_ISOLATION.gauge(meter).ofLongs().buildObserver();
    var usage = AgentMetrics.SLICE_MEMORY_USAGE.upDownCounter(meter).buildObserver();
    var limit = AgentMetrics.SLICE_MEMORY_LIMIT.upDownCounter(meter).buildObserver();
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
                Attributes owned =
                    slice(ordinals, Place.of(use)).toBuilder()
                        .put(AgentMetrics.TENANT, use.attempt().job().tenant())
                        .put(AgentMetrics.QUEUE, queues.apply(use.attempt()))
                        .build();
                usage.record(use.bytes(), owned);
                limit.record(use.limitBytes(), owned);
              }
            },
            isolation,
            usage,
            limit);
    closings.add(reading::close);
  }

  private Attributes slice(Ordinals ordinals, SlicePlan plan) {
    return slice(ordinals, Place.of(plan)).toBuilder()
        .put(AgentMetrics.MECHANISM, plan.mechanism())
        .put(AgentMetrics.ISOLATION, plan.isolation().name().toLowerCase(Locale.ROOT))
        .build();
  }

  private Attributes slice(Ordinals ordinals, Place place) {
    return Attributes.of(
        AgentMetrics.NODE,
        node,
        AgentMetrics.DEVICE,
        place.device(),
        AgentMetrics.SLICE,
        ordinals.of(place));
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
            .put(AgentMetrics.NODE, node)
            .put(AgentMetrics.DEVICE, device.uuid())
            .put(DeviceMetrics.TYPE, "gpu")
            .put(DeviceMetrics.NAME, "GPU " + device.index())
            .put(DeviceMetrics.MODEL, device.model())
            .put(
                DeviceMetrics.VENDOR,
                switch (words[0]) {
                  case "nvml" -> "NVIDIA";
                  case "rocm" -> "AMD";
                  default -> words[0];
                });
    if (words.length == 2) {
      attributes.put(DeviceMetrics.DRIVER, words[1]);
    }
    if (driver.isSimulated()) {
      attributes.put(DeviceMetrics.SIMULATED, true);
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
        .ifPresent(count -> to.record(count, with(attributes, DeviceMetrics.ERROR, "corrected")));
    seen.figures()
        .uncorrected()
        .ifPresent(count -> to.record(count, with(attributes, DeviceMetrics.ERROR, "uncorrected")));
  }

  private static void xids(
      DeviceWatch.Seen seen, Attributes attributes, ObservableLongMeasurement to) {
    seen.counts()
        .xids()
        .forEach((number, count) ->
            to.record(count, attributes.toBuilder().put(DeviceMetrics.XID, (long) number).build()));
  }

  private static void status(
      DeviceWatch.Seen seen, Attributes attributes, ObservableLongMeasurement to) {
    String now =
        switch (seen.condition().health()) {
          case HEALTHY -> "ok";
          case DEGRADED -> "degraded";
          case UNHEALTHY -> "failed";
        };
    STATES.forEach(state ->
        to.record(state.equals(now) ? 1 : 0, with(attributes, DeviceMetrics.STATE, state)));
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
      MetricDefinition definition,
      Supplier<List<DeviceWatch.Seen>> seen,
      Function<DeviceInfo, Attributes> attributes,
      Count count) {
    var made =
        definition
            .observedCounter(meter)
            .buildWithCallback(to ->
                seen.get()
                    .forEach(
                        device -> count.record(device, attributes.apply(device.device()), to)));
    closings.add(made::close);
  }

  private void gauge(MetricDefinition definition, Consumer<ObservableDoubleMeasurement> callback) {
    var made = definition.gauge(meter).buildWithCallback(callback);
    closings.add(made::close);
  }

  private void level(MetricDefinition definition, Consumer<ObservableLongMeasurement> callback) {
    var made = definition.upDownCounter(meter).buildWithCallback(callback);
    closings.add(made::close);
  }

  /// Stops measuring.
  @Override
  public void close() {
    closings.forEach(Runnable::run);
  }
}
