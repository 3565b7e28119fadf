package io.headgate.scheduler.benchmark;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;

/// Makes figures from the counters of a JMH benchmark, round by round.
final class FigureReader {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MILLI = 1e6;

  private final BenchmarkResult result;
  private final CpuLoop.Speed machine;
  private final Map<String, String> parameters = new TreeMap<>();

  private FigureReader(BenchmarkResult result, CpuLoop.Speed machine) {
    this.result = result;
    this.machine = machine;
    for (String key : result.getParams().getParamsKeys()) {
      parameters.put(key, result.getParams().getParam(key));
    }
  }

  static List<Figure> read(BenchmarkResult result, CpuLoop.Speed machine) {
    return new FigureReader(result, machine).read();
  }

  private List<Figure> read() {
    String[] path = result.getParams().getBenchmark().split("\\.");
    String method = path[path.length - 1];
    String benchmark = path[path.length - 2];
    return switch (benchmark) {
      case "DecisionBenchmark" ->
          List.of(rate("decisions", "decisions", Goals.decisions(parameters)));
      case "FenzoBenchmark" ->
          List.of(rate("fenzoAssignments", "assignments", OptionalDouble.empty()));
      case "KueueBenchmark" -> List.of(rate("kueueWorkloads", "workloads", OptionalDouble.empty()));
      case "PlacementBenchmark" -> {
        parameters.put("caches", method);
        yield List.of(rate("placements", "placements", OptionalDouble.empty()));
      }
      case "MemoryBenchmark" -> List.of(memory());
      case "PassBenchmark" ->
          List.of(time("passWithNothingToStart", "", OptionalDouble.of(Goals.PASS_MILLIS)));
      case "PreemptionBenchmark" ->
          List.of(
              time("preemptionDecisionP50", "P50", OptionalDouble.empty()),
              time("preemptionDecisionP99", "P99", Goals.preemption(parameters)));
      case "ReclaimBenchmark" ->
          List.of(
              time("reclaimDecisionP50", "P50", OptionalDouble.empty()),
              time("reclaimDecisionP99", "P99", OptionalDouble.empty()));
      default -> throw new IllegalArgumentException("no figure of " + benchmark);
    };
  }

  private Figure rate(String name, String counted, OptionalDouble goal) {
    return figure(
        name,
        counted + "/s",
        quotients(counted, "nanos", NANOS_PER_SECOND),
        quotients(counted, "cpuNanos", NANOS_PER_SECOND),
        goal);
  }

  private Figure memory() {
    return figure(
        "waitingJobMemory",
        "B/job",
        quotients("bytes", "jobs", 1),
        List.of(),
        OptionalDouble.of(Goals.BYTES_PER_JOB));
  }

  /// @param percentile as [Samples] counts it; empty: the mean
  private Figure time(String name, String percentile, OptionalDouble goal) {
    if (percentile.isEmpty()) {
      return figure(
          name,
          "ms",
          quotients("nanos", "count", 1 / NANOS_PER_MILLI),
          quotients("cpuNanos", "count", 1 / NANOS_PER_MILLI),
          goal);
    }
    List<Double> rounds = new ArrayList<>();
    List<Double> cpuRounds = new ArrayList<>();
    for (IterationResult round : result.getIterationResults()) {
      rounds.add(counted(round, percentile.toLowerCase(Locale.ROOT)) / NANOS_PER_MILLI);
      cpuRounds.add(counted(round, "cpu" + percentile) / NANOS_PER_MILLI);
    }
    return figure(name, "ms", rounds, cpuRounds, goal);
  }

  private Figure figure(
      String name, String unit, List<Double> rounds, List<Double> cpuRounds, OptionalDouble goal) {
    return new Figure(name, parameters, unit, rounds, cpuRounds, machine, goal);
  }

  private List<Double> quotients(String above, String below, double factor) {
    List<Double> rounds = new ArrayList<>();
    for (IterationResult round : result.getIterationResults()) {
      rounds.add(factor * counted(round, above) / counted(round, below));
    }
    return rounds;
  }

  private static double counted(IterationResult round, String name) {
    Result<?> counter = round.getSecondaryResults().get(name);
    if (counter == null) {
      throw new IllegalArgumentException("no counter " + name);
    }
    return counter.getScore();
  }
}
