package io.headgate.deploy.simulate.replay;

import io.headgate.scheduler.core.explain.Forecast;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/// Compares expected starts of waiting jobs with their real first starts.
final class ForecastErrors {
  /// An expected start, in milliseconds from the start of the replay.
  private record Told(long atMs, long startMs, Optional<Long> byMs) {}

  private final Map<String, Told> told = new LinkedHashMap<>();
  private final List<Double> errors = new ArrayList<>();
  private int asked;
  private int unknown;
  private int bounded;
  private int inTime;

  /// The scheduler was asked at this time when the waiting job starts.
  void tell(String job, Forecast forecast, long atMs) {
    asked++;
    switch (forecast) {
      case Forecast.Expected expected ->
          told.put(
              job,
              new Told(
                  atMs, expected.start().toEpochMilli(), expected.by().map(Instant::toEpochMilli)));
      case Forecast.Unknown _ -> unknown++;
    }
  }

  /// A job starts.
  void started(String job, long atMs) {
    Told before = told.remove(job);
    if (before == null) {
      return;
    }
    double wait = Math.max(1, atMs - before.atMs());
    errors.add(Math.abs(atMs - before.startMs()) / wait);
    if (before.byMs().isPresent()) {
      bounded++;
      inTime += atMs <= before.byMs().get() ? 1 : 0;
    }
  }

  /// The result; the median is absent when no start was foretold.
  ReplayResult.Forecasts result() {
    List<Double> sorted = new ArrayList<>(errors);
    Collections.sort(sorted);
    return new ReplayResult.Forecasts(
        asked,
        unknown,
        sorted.isEmpty()
            ? OptionalDouble.empty()
            : OptionalDouble.of(sorted.get((sorted.size() - 1) / 2)),
        bounded,
        inTime);
  }
}
