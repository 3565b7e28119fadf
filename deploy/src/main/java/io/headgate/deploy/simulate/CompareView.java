package io.headgate.deploy.simulate;

import io.headgate.scheduler.simulation.SimulationEvent;
import io.headgate.scheduler.simulation.Summary;
import io.headgate.sdk.cli.output.AlignedText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// Two simulations side by side: the differences of the second from the first.
final class CompareView {
  private static final int MOST_JOBS = 10;

  private CompareView() {}

  /// @param names labels of the two simulations
  static List<String> lines(Recording first, Recording second, List<String> names) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("", names.getFirst(), names.getLast()));
    Summary a = first.summary();
    Summary b = second.summary();
    row(rows, "until", a, b, summary -> Words.time(summary.untilMs()));
    row(rows, "finished", a, b, summary -> Integer.toString(summary.finished()));
    row(rows, "running", a, b, summary -> Integer.toString(summary.running()));
    row(rows, "waiting", a, b, summary -> Integer.toString(summary.waiting()));
    row(rows, "cancelled", a, b, summary -> Integer.toString(summary.cancelled()));
    row(rows, "preemptions", a, b, summary -> Integer.toString(summary.preemptions()));
    row(rows, "GPU-seconds used", a, b, summary -> summary.used().toString());
    row(rows, "GPU-seconds lost", a, b, summary -> summary.lost().toString());
    for (String policy : policies(a, b)) {
      row(rows, policy + " usage", a, b, summary -> of(summary, policy, p -> p.usage().toString()));
      row(
          rows,
          policy + " wait p50",
          a,
          b,
          summary -> of(summary, policy, p -> Words.time(p.waitP50Ms())));
      row(
          rows,
          policy + " wait p99",
          a,
          b,
          summary -> of(summary, policy, p -> Words.time(p.waitP99Ms())));
    }
    List<String> lines = new ArrayList<>(AlignedText.lines(rows));
    lines.addAll(starts(firstStarts(first), firstStarts(second)));
    return lines;
  }

  private static void row(
      List<List<String>> rows, String what, Summary a, Summary b, Function<Summary, String> value) {
    String left = value.apply(a);
    String right = value.apply(b);
    rows.add(List.of(what, left, right.equals(left) ? "same" : right));
  }

  private static List<String> policies(Summary a, Summary b) {
    List<String> names = new ArrayList<>();
    a.policies().forEach(policy -> names.add(policy.name()));
    b.policies().stream()
        .map(Summary.PolicyLine::name)
        .filter(name -> !names.contains(name))
        .forEach(names::add);
    return names;
  }

  private static String of(
      Summary summary, String policy, Function<Summary.PolicyLine, String> value) {
    return summary.policies().stream()
        .filter(line -> line.name().equals(policy))
        .map(value)
        .findFirst()
        .orElse("-");
  }

  private static Map<String, Long> firstStarts(Recording recording) {
    Map<String, Long> starts = new LinkedHashMap<>();
    for (SimulationEvent event : recording.events()) {
      if (event instanceof SimulationEvent.Start start && start.attempt() == 1) {
        starts.putIfAbsent(start.job(), start.atMs());
      }
    }
    return starts;
  }

  /// Jobs that start at another time, those with the largest difference first.
  private static List<String> starts(Map<String, Long> first, Map<String, Long> second) {
    record Difference(String job, Optional<Long> before, Optional<Long> after) {
      long size() {
        return before.isEmpty() || after.isEmpty()
            ? Long.MAX_VALUE
            : Math.abs(after.get() - before.get());
      }
    }
    List<Difference> differences = new ArrayList<>();
    List<String> jobs = new ArrayList<>(first.keySet());
    second.keySet().stream().filter(job -> !first.containsKey(job)).forEach(jobs::add);
    for (String job : jobs) {
      Optional<Long> before = Optional.ofNullable(first.get(job));
      Optional<Long> after = Optional.ofNullable(second.get(job));
      if (!before.equals(after)) {
        differences.add(new Difference(job, before, after));
      }
    }
    if (differences.isEmpty()) {
      return List.of("", "every job starts at the same time");
    }
    differences.sort(Comparator.comparingLong(Difference::size).reversed());
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("STARTS", "", ""));
    for (Difference each : differences.subList(0, Math.min(MOST_JOBS, differences.size()))) {
      rows.add(
          List.of(
              each.job(),
              each.before().map(Words::time).orElse("never"),
              each.after().map(Words::time).orElse("never")));
    }
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.addAll(AlignedText.lines(rows));
    if (differences.size() > MOST_JOBS) {
      lines.add("and %d more".formatted(differences.size() - MOST_JOBS));
    }
    return lines;
  }
}
