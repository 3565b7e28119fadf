package io.headgate.scheduler;

import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/// Prints figures with the conditions of their measurement.
final class LoadFigures {
  private static final double NANOS_PER_MILLI = 1e6;
  private static final long MAX_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final LoadBenchmark.Options options;
  private final LoadCalibration machine;
  private final Consumer<LoadFigure> out;

  LoadFigures(LoadBenchmark.Options options, LoadCalibration machine, Consumer<LoadFigure> out) {
    this.options = options;
    this.machine = machine;
    this.out = out;
  }

  LoadCalibration machine() {
    return machine;
  }

  /// Nothing comparable is known, and nothing was promised.
  void print(String name, Map<String, String> parameters, double value, String unit) {
    print(name, parameters, value, unit, 0, OptionalDouble.empty());
  }

  void print(
      String name,
      Map<String, String> parameters,
      double value,
      String unit,
      double calibration,
      OptionalDouble goal) {
    Map<String, String> all = new TreeMap<>(parameters);
    all.put("waiting", Integer.toString(options.waiting()));
    all.put("gpus", Integer.toString(options.nodes() * LoadRig.GPUS_PER_NODE));
    out.accept(new LoadFigure(name, all, value, unit, calibration, goal));
  }

  static Histogram histogram() {
    return new ConcurrentHistogram(MAX_NANOS, 3);
  }

  /// Prints the median and the 99th percentile, for which there is no goal.
  void times(String name, Map<String, String> parameters, Histogram nanos) {
    for (int percent : List.of(50, 99)) {
      print(
          name + "_p" + percent,
          parameters,
          nanos.getValueAtPercentile(percent) / NANOS_PER_MILLI,
          "ms",
          machine.commitMillis(),
          OptionalDouble.empty());
    }
  }

  /// Half and all of a distribution but one in a hundred.
  void times(String name, Map<String, String> parameters, Histogram nanos, double p50, double p99) {
    print(
        name + "_p50",
        parameters,
        nanos.getValueAtPercentile(50) / NANOS_PER_MILLI,
        "ms",
        machine.commitMillis(),
        OptionalDouble.of(p50));
    print(
        name + "_p99",
        parameters,
        nanos.getValueAtPercentile(99) / NANOS_PER_MILLI,
        "ms",
        machine.commitMillis(),
        OptionalDouble.of(p99));
  }
}
