package io.headgate.deploy.simulate;

import io.headgate.scheduler.simulation.SimulationEvent;
import io.headgate.scheduler.simulation.Summary;
import io.headgate.sdk.cli.output.AlignedText;
import io.headgate.sdk.cli.output.Output;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The end state of a simulation, as text for people.
record SummaryView(Output output) {
  private static final int MOST_NAMES = 10;

  List<String> lines(Recording recording) {
    Summary summary = recording.summary();
    String dot = " " + output.symbols().dot() + " ";
    List<String> lines = new ArrayList<>();
    lines.add(
        output.bold(
            "until %s%s%s"
                .formatted(
                    Words.span(summary.untilMs()),
                    dot,
                    summary.isAtRest()
                        ? "five more passes change nothing"
                        : "more would happen after")));
    lines.add(
        "jobs      %d finished, %d running, %d waiting, %d cancelled%spreemptions %d"
            .formatted(
                summary.finished(),
                summary.running(),
                summary.waiting(),
                summary.cancelled(),
                dot,
                summary.preemptions()));
    lines.add(
        "GPU time  capacity %s s, used %s s, lost %s s"
            .formatted(summary.capacity(), summary.used(), summary.lost()));
    lines.add("");
    List<List<String>> policies = new ArrayList<>();
    policies.add(List.of("POLICY", "USAGE", "RESERVATION", "LIMIT", "WAIT P50", "WAIT P99"));
    for (Summary.PolicyLine policy : summary.policies()) {
      policies.add(
          List.of(
              policy.name(),
              policy.usage().mixed(),
              policy.reservation().mixed(),
              policy.limit().mixed(),
              Words.span(policy.waitP50Ms()),
              Words.span(policy.waitP99Ms())));
    }
    lines.addAll(AlignedText.lines(policies));
    long never = recording.neverStarted();
    if (never > 0) {
      lines.add(
          "  waits are of jobs that started; %s never did"
              .formatted(io.headgate.sdk.config.EnglishText.count(never, "job")));
    }
    lines.add("");
    List<List<String>> pools = new ArrayList<>();
    pools.add(List.of("POOL", "USED", "CAPACITY"));
    for (Summary.PoolLine pool : summary.pools()) {
      pools.add(List.of(pool.name(), pool.used().mixed(), pool.capacity().mixed()));
    }
    lines.addAll(AlignedText.lines(pools));
    lines.addAll(waiting(recording));
    return lines;
  }

  /// Waiting jobs, by reason.
  private static List<String> waiting(Recording recording) {
    Map<String, List<String>> byReason = new LinkedHashMap<>();
    for (SimulationEvent.Wait wait : recording.waiting().values()) {
      byReason
          .computeIfAbsent(wait.reason() + " " + wait.text(), key -> new ArrayList<>())
          .add(wait.job());
    }
    if (byReason.isEmpty()) {
      return List.of();
    }
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("WAITING", "WHY", "WHICH"));
    byReason.forEach((reason, jobs) -> {
      List<String> shown = jobs.subList(0, Math.min(MOST_NAMES, jobs.size()));
      int hidden = jobs.size() - shown.size();
      rows.add(
          List.of(
              Integer.toString(jobs.size()),
              reason,
              String.join(" ", shown) + (hidden > 0 ? " and " + hidden + " more" : "")));
    });
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.addAll(AlignedText.lines(rows));
    return lines;
  }
}
