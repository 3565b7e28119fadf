package io.headgate.kit.telemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.metrics.DoubleCounterBuilder;
import io.opentelemetry.api.metrics.DoubleGaugeBuilder;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.LongCounterBuilder;
import io.opentelemetry.api.metrics.LongUpDownCounterBuilder;
import io.opentelemetry.api.metrics.Meter;
import java.util.ArrayList;
import java.util.List;

/// One metric: what it is called, what it counts, and what tells its series apart. All instruments
/// are made from definitions. The reference page of metrics is generated from them, and a test
/// compares them with a running installation.
///
/// The attributes name objects of the configuration, machines, or words of a fixed set. No job and
/// no user is an attribute, because their number has no bound.
///
/// @param unit by UCUM: `s`, `By`, `1`, or what is counted in braces: `{gpu}`
/// @param attributes in the order of the reference; a series may lack those that do not apply
/// @param meaning one phrase without a full stop
/// @param condition when it appears; empty: in every installation that runs jobs
/// @param atZero since when the series of a counter exist, at 0; empty: each appears with its first
///   event, which the rates of Prometheus do not see
/// @param buckets upper bounds of the buckets of a histogram, for receivers that need fixed ones
public record MetricDefinition(
    String name,
    Kind kind,
    String unit,
    List<AttributeKey<?>> attributes,
    String meaning,
    String condition,
    String atZero,
    List<Double> buckets) {
  /// At 0 since the process began.
  public static final String FROM_THE_START = "from the start";

  /// Times from a millisecond to minutes.
  public static final List<Double> BRIEF = List.of(0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0, 60.0);

  /// Times from a second to days.
  public static final List<Double> LONG =
      List.of(1.0, 10.0, 60.0, 300.0, 1800.0, 7200.0, 28_800.0, 86_400.0, 604_800.0);

  /// Small numbers.
  public static final List<Double> FEW = List.of(1.0, 4.0, 16.0, 64.0, 256.0, 1024.0);

  /// The kinds of instruments.
  public enum Kind {
    GAUGE,
    UP_DOWN_COUNTER,
    COUNTER,
    HISTOGRAM
  }

  public MetricDefinition {
    attributes = List.copyOf(attributes);
    buckets = List.copyOf(buckets);
    if (buckets.isEmpty() == (kind == Kind.HISTOGRAM)) {
      throw new IllegalArgumentException(name + ": histograms alone have buckets");
    }
    if (!atZero.isEmpty() && kind != Kind.COUNTER) {
      throw new IllegalArgumentException(name + ": only counters begin at 0");
    }
  }

  /// A value that goes up and down.
  public static MetricDefinition gauge(
      String name, String unit, String meaning, AttributeKey<?>... attributes) {
    return of(name, Kind.GAUGE, unit, meaning, List.of(), attributes);
  }

  /// A value that goes up and down, and whose sum over its series says something.
  public static MetricDefinition upDownCounter(
      String name, String unit, String meaning, AttributeKey<?>... attributes) {
    return of(name, Kind.UP_DOWN_COUNTER, unit, meaning, List.of(), attributes);
  }

  /// A value that only rises.
  public static MetricDefinition counter(
      String name, String unit, String meaning, AttributeKey<?>... attributes) {
    return of(name, Kind.COUNTER, unit, meaning, List.of(), attributes);
  }

  /// A distribution of values.
  public static MetricDefinition histogram(
      String name, String unit, String meaning, List<Double> buckets, AttributeKey<?>... keys) {
    return of(name, Kind.HISTOGRAM, unit, meaning, buckets, keys);
  }

  private static MetricDefinition of(
      String name,
      Kind kind,
      String unit,
      String meaning,
      List<Double> buckets,
      AttributeKey<?>... attributes) {
    return new MetricDefinition(name, kind, unit, List.of(attributes), meaning, "", "", buckets);
  }

  /// The same metric, which appears only then.
  public MetricDefinition when(String newCondition) {
    return new MetricDefinition(
        name, kind, unit, attributes, meaning, newCondition, atZero, buckets);
  }

  /// The same counter, whose series exist at 0 since then, so that rates see their first events.
  public MetricDefinition atZero(String since) {
    return new MetricDefinition(name, kind, unit, attributes, meaning, condition, since, buckets);
  }

  /// The same metric with one more attribute, which tells parts of a process apart.
  public MetricDefinition with(AttributeKey<?> attribute) {
    List<AttributeKey<?>> more = new ArrayList<>(attributes);
    more.add(attribute);
    return new MetricDefinition(name, kind, unit, more, meaning, condition, atZero, buckets);
  }

  /// Its description in metadata, a sentence.
  private String description() {
    return meaning.substring(0, 1).toUpperCase(java.util.Locale.ROOT) + meaning.substring(1) + ".";
  }

  private void require(Kind wanted) {
    if (kind != wanted) {
      throw new IllegalStateException(name + " is no " + wanted);
    }
  }

  public DoubleGaugeBuilder gauge(Meter meter) {
    require(Kind.GAUGE);
    return meter.gaugeBuilder(name).setUnit(unit).setDescription(description());
  }

  public LongUpDownCounterBuilder upDownCounter(Meter meter) {
    require(Kind.UP_DOWN_COUNTER);
    return meter.upDownCounterBuilder(name).setUnit(unit).setDescription(description());
  }

  /// A builder for a counter that is read when metrics are collected.
  public LongCounterBuilder observedCounter(Meter meter) {
    require(Kind.COUNTER);
    return meter.counterBuilder(name).setUnit(unit).setDescription(description());
  }

  public DoubleCounterBuilder doubleCounter(Meter meter) {
    return observedCounter(meter).ofDoubles();
  }

  public LongCounter counter(Meter meter) {
    return observedCounter(meter).build();
  }

  public DoubleHistogram histogram(Meter meter) {
    require(Kind.HISTOGRAM);
    return meter
        .histogramBuilder(name)
        .setUnit(unit)
        .setDescription(description())
        .setExplicitBucketBoundariesAdvice(buckets)
        .build();
  }
}
