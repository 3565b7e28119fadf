package io.headgate.deploy.e2e;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Times from faults until a job began, as a table of percentiles.
final class FaultTimes {
  private final Map<Fault, List<Long>> milliseconds = new EnumMap<>(Fault.class);

  void note(Fault fault, long tookMs) {
    milliseconds.computeIfAbsent(fault, _ -> new ArrayList<>()).add(tookMs);
  }

  /// One row of Markdown for each kind of fault, in seconds.
  String table() {
    StringBuilder table =
        new StringBuilder(
            "| fault | times | p50 | p90 | p99 | longest |\n|---|---|---|---|---|---|\n");
    milliseconds.forEach((fault, times) -> {
      List<Long> sorted = times.stream().sorted().toList();
      table.append(
          String.format(
              Locale.ROOT,
              "| %s | %d | %.1f | %.1f | %.1f | %.1f |%n",
              fault,
              sorted.size(),
              seconds(sorted, 0.5),
              seconds(sorted, 0.9),
              seconds(sorted, 0.99),
              seconds(sorted, 1)));
    });
    return table.toString();
  }

  private static double seconds(List<Long> sorted, double share) {
    int rank = Math.max(1, (int) Math.ceil(share * sorted.size()));
    return sorted.get(rank - 1) / 1000.0;
  }
}
