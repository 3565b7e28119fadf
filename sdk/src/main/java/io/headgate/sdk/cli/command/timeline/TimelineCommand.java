package io.headgate.sdk.cli.command.timeline;

import io.headgate.proto.scheduler.v1.ListUsageIntervalsResponse;
import io.headgate.proto.scheduler.v1.UsageInterval;
import io.headgate.sdk.cli.command.shared.NameCheck;
import io.headgate.sdk.cli.command.shared.Period;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.CliCommand;
import io.headgate.sdk.cli.frame.GlobalOptions;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.JsonText;
import io.headgate.sdk.cli.output.Output;
import io.headgate.sdk.wire.UsageCalls.IntervalFilter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `headgate timeline`.
@Command(
    header = {
      "headgate timeline                                 all slices in the last hour",
      "headgate timeline --since 8h --node gpu-03",
      "headgate timeline --since 2026-11-03 --policy research -o svg > research.svg",
      "headgate timeline --since 7d --job train-5 -o json    a line for each interval",
      ""
    },
    description = {
      "Shows which job had which slice over time, and which devices were down, from the usage"
          + " ledger: exact, and not sampled.",
      "-o is text (the default), svg (a picture that stands alone), json or jsonl (both a line for"
          + " each interval)."
    })
public final class TimelineCommand implements CliCommand {
  private static final String SVG = "svg";
  private static final int MOST_INTERVALS = 20_000;
  private static final int MOST_LINES = 200;
  private static final int MOST_ROWS_OF_A_PICTURE = 1_000;
  private static final int USUAL_WIDTH = 80;

  @Mixin private final GlobalOptions global = new GlobalOptions();

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description =
          "Begin: 1h (the default), 7d, a month (2026-11), a day (2026-11-03) or a time. A month or a"
              + " day without --until is the period itself.")
  private String since = "1h";

  @Option(names = "--until", paramLabel = "TIME", description = "End (default: now).")
  private @Nullable String until;

  @Option(names = "--pool", split = ",", paramLabel = "POOL", description = "Only these pools.")
  private List<String> pools = List.of();

  @Option(names = "--node", split = ",", paramLabel = "NODE", description = "Only these nodes.")
  private List<String> nodes = List.of();

  @Option(
      names = "--policy",
      split = ",",
      paramLabel = "POLICY",
      description = "Only jobs of these policies.")
  private List<String> policies = List.of();

  @Option(names = "--job", split = ",", paramLabel = "JOB", description = "Only these jobs.")
  private List<String> jobs = List.of();

  @Override
  public GlobalOptions global() {
    return global;
  }

  @Override
  public List<String> outputForms() {
    return List.of("text", SVG, "json", "jsonl");
  }

  @Override
  public int run(Invocation invocation) {
    Period period = Period.parse(since, until, invocation.output().times().clock().instant());
    IntervalFilter filter = new IntervalFilter(pools, nodes, policies, jobs);
    if (invocation.form().isJson()) {
      Found found =
          fetch(
              invocation,
              period,
              filter,
              Integer.MAX_VALUE,
              interval -> invocation.output().line(JsonText.line(interval)));
      if (found.count() == 0) {
        requireNames(invocation, List.of());
      }
      return ExitCode.DONE;
    }
    List<UsageInterval> intervals = new ArrayList<>();
    Found found = fetch(invocation, period, filter, MOST_INTERVALS, intervals::add);
    requireNames(invocation, intervals);
    boolean showsFree = policies.isEmpty() && jobs.isEmpty();
    Timeline timeline =
        Timeline.of(
            found.since(),
            found.until(),
            intervals,
            showsFree ? devices(invocation) : List.of(),
            showsFree && found.isWhole());
    Output output = invocation.output();
    if (SVG.equals(global.output)) {
      output.text(
          new TimelineSvg(output.times().effectiveZone())
              .draw(timeline.limited(MOST_ROWS_OF_A_PICTURE), invocation.session().tenant()));
    } else {
      int width = output.terminal() ? output.width().getAsInt() : USUAL_WIDTH;
      new TimelineText(output.paint(), output.symbols(), output.times().effectiveZone(), width)
          .lines(timeline.limited(MOST_LINES))
          .forEach(output::line);
      if (timeline.tracks().isEmpty()) {
        output.note("No slice was in use, held or down.");
      }
    }
    if (!found.isWhole()) {
      Instant last = Times.instant(intervals.getLast().getStartTime());
      output.note(
          "only the first %,d intervals are shown, which began until %s: choose a shorter period,"
                  .formatted(MOST_INTERVALS, last)
              + " or --pool, --node, --policy or --job");
    }
    return ExitCode.DONE;
  }

  /// The period, how many intervals came, and whether they are all.
  private record Found(Instant since, Instant until, int count, boolean isWhole) {}

  private static Found fetch(
      Invocation invocation,
      Period period,
      IntervalFilter filter,
      int most,
      Consumer<UsageInterval> each) {
    String token = "";
    int count = 0;
    while (true) {
      ListUsageIntervalsResponse page =
          invocation.session().usage().intervals(period.since(), period.until(), filter, token);
      page.getIntervalsList().forEach(each);
      count += page.getIntervalsCount();
      token = page.getNextPageToken();
      if (token.isEmpty() || count >= most || invocation.output().isClosed()) {
        return new Found(
            Times.instant(page.getStartTime()),
            Times.instant(page.getEndTime()),
            count,
            token.isEmpty());
      }
    }
  }

  /// A mistyped name would look like a time without use.
  private void requireNames(Invocation invocation, List<UsageInterval> found) {
    NameCheck.POOL.require(invocation.session(), pools, found, UsageInterval::getPool);
    NameCheck.NODE.require(
        invocation.session(),
        nodes.stream().filter(node -> node.indexOf('/') < 0).toList(),
        found,
        UsageInterval::getNode);
    NameCheck.POLICY.require(invocation.session(), policies, found, UsageInterval::getPolicy);
  }

  private List<Timeline.Device> devices(Invocation invocation) {
    return invocation.session().catalog().nodeUsages().stream()
        .filter(node -> pools.isEmpty() || pools.contains(node.getPool()))
        .filter(node -> nodes.isEmpty() || nodes.contains(node.getNode()))
        .flatMap(node ->
            node.getDevicesList().stream()
                .map(device ->
                    new Timeline.Device(node.getPool(), node.getNode(), device.getIndex())))
        .toList();
  }
}
