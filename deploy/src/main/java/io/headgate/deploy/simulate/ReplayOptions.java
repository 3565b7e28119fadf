package io.headgate.deploy.simulate;

import io.headgate.deploy.simulate.openb.Machine;
import io.headgate.deploy.simulate.replay.BrokenInvariantException;
import io.headgate.deploy.simulate.replay.OpenbReplay;
import io.headgate.deploy.simulate.replay.PhillyJob;
import io.headgate.deploy.simulate.replay.PhillyReplay;
import io.headgate.deploy.simulate.replay.Replay;
import io.headgate.deploy.simulate.replay.ReplayResult;
import io.headgate.deploy.simulate.replay.TimedPod;
import io.headgate.deploy.simulate.replay.Workload;
import io.headgate.scheduler.core.catalog.PreemptWithin;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.sdk.cli.error.CliFailure;
import io.headgate.sdk.cli.error.ErrorFrame;
import io.headgate.sdk.cli.error.ExitCode;
import io.headgate.sdk.cli.frame.Invocation;
import io.headgate.sdk.cli.output.UsageException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// `headgate simulate --replay-openb` and `--replay-philly`: a replay of a recorded cluster over
/// time.
final class ReplayOptions {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MICRO = 1e3;
  private static final String LIVE_POLICY = "tightest-fit";
  private static final int OPENB_GPUS = 40;
  private static final int PHILLY_GPUS = 420;
  private static final int MOST_GPUS = 1_000_000;
  private static final int MOST_DAYS = 100_000;
  private static final int TENANTS = 11;
  private static final int MOST_TENANTS = 10_000;
  private static final int MOST_FORECASTS = 100_000;
  private static final Duration CHECKPOINT = Duration.ofHours(1);

  /// Longer than any trace.
  private static final Duration NEVER = Duration.ofDays(365_000);

  @Option(
      names = "--replay-openb",
      arity = "2",
      paramLabel = "FILE",
      description =
          "Replay pods of the openb trace by time. CSV files of the nodes and of the pods.")
  private Path @Nullable [] openb;

  @Option(
      names = "--replay-philly",
      paramLabel = "FILE",
      description = "Replay jobs of the Philly trace by time. A CSV file.")
  private @Nullable Path philly;

  @Option(
      names = "--gpus",
      paramLabel = "COUNT",
      description = "Number of GPUs. Default: 40 for openb, 420 for Philly.")
  private @Nullable Integer gpus;

  @Option(
      names = "--from-day",
      paramLabel = "DAY",
      description = "openb: leave out pods that were created before this day. Default: 0.")
  private @Nullable Integer fromDay;

  @Option(
      names = "--preempt-within",
      paramLabel = "WHEN",
      description =
          "openb: whether better classes preempt worse ones: lower-priority or never. Default:"
              + " lower-priority.")
  private @Nullable String preemptWithin;

  @Option(
      names = "--tenants",
      paramLabel = "COUNT",
      description = "Philly: number of tenants; those with most jobs. Default: 11.")
  private @Nullable Integer tenants;

  @Option(
      names = "--checkpoint",
      paramLabel = "TIME",
      description = "Interval at which jobs save their work; 0s: never. Default: 1h.")
  private @Nullable String checkpoint;

  @Option(
      names = "--hold-after",
      paramLabel = "TIME",
      description = "Time after which a blocked job gets a hold; or never. Default: 10m.")
  private @Nullable String holdAfter;

  @Option(
      names = "--forecasts",
      paramLabel = "COUNT",
      description =
          "How many waiting jobs are asked when they start; the errors are printed. Default: 0.")
  private @Nullable Integer forecasts;

  boolean isAsked() {
    return openb != null || philly != null;
  }

  /// Whether one of its flags was given.
  boolean isGiven() {
    return isAsked()
        || gpus != null
        || fromDay != null
        || preemptWithin != null
        || tenants != null
        || checkpoint != null
        || holdAfter != null
        || forecasts != null;
  }

  /// The result as one JSON object.
  ///
  /// @throws CliFailure when an invariant was broken
  String run(PlacementOptions placement) throws IOException {
    check();
    placement.choose(LIVE_POLICY);
    JsonObject json = new JsonObject();
    Workload workload = openb == null ? philly(json) : openb(json, openb);
    json.put("policy", placement.name(LIVE_POLICY));
    long begun = System.nanoTime();
    ReplayResult result;
    try {
      int asked = number("--forecasts", forecasts, 0, 0, MOST_FORECASTS);
      result = Replay.run(workload, placement.choose(LIVE_POLICY), System::nanoTime, asked);
    } catch (BrokenInvariantException e) {
      ErrorFrame frame =
          ErrorFrame.usage("the scheduler broke an invariant", "INVARIANT_BROKEN", List.of())
              .why(String.valueOf(e.getMessage()));
      throw new CliFailure(List.of(frame), ExitCode.REFUSED, null);
    }
    put(json, result);
    if (result.forecasts().asked() > 0) {
      put(json, result.forecasts());
    }
    return json.put("seconds", (System.nanoTime() - begun) / NANOS_PER_SECOND, 1).toString();
  }

  private void check() {
    if (openb != null && philly != null) {
      throw conflict("--replay-openb", "--replay-philly");
    }
    if (openb == null && (fromDay != null || preemptWithin != null)) {
      throw conflict(fromDay == null ? "--preempt-within" : "--from-day", "--replay-philly");
    }
    if (philly == null && tenants != null) {
      throw conflict("--tenants", "--replay-openb");
    }
  }

  private static UsageException conflict(String one, String other) {
    return new UsageException(
        one + " and " + other + " cannot be combined",
        "FLAGS_CONFLICT",
        "headgate simulate --replay-openb NODES.csv PODS.csv --from-day 110 --gpus 40",
        "headgate simulate --replay-philly JOBS.csv --gpus 420 --tenants 11");
  }

  private Workload openb(JsonObject json, Path[] files) throws IOException {
    int from = number("--from-day", fromDay, 0, 0, MOST_DAYS);
    PreemptWithin within = preemptWithin();
    OpenbReplay.Options options =
        new OpenbReplay.Options(
            Duration.ofDays(from), gpus(OPENB_GPUS), checkpoint(), holdAfter(), within);
    List<Machine> machines = TraceFiles.read(files[0], Machine::parse);
    Workload workload =
        TraceFiles.read(
            files[1], lines -> OpenbReplay.workload(machines, TimedPod.parse(lines), options));
    json.put("replay", "openb")
        .put("fromDay", from)
        .put("gpus", options.gpus())
        .put("preemptWithin", within.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    putTimes(json);
    return workload;
  }

  private Workload philly(JsonObject json) throws IOException {
    if (philly == null) {
      throw new IllegalStateException("no trace was named");
    }
    PhillyReplay.Options options =
        new PhillyReplay.Options(
            gpus(PHILLY_GPUS),
            number("--tenants", tenants, TENANTS, 1, MOST_TENANTS),
            checkpoint(),
            holdAfter());
    Workload workload =
        TraceFiles.read(philly, lines -> PhillyReplay.workload(PhillyJob.parse(lines), options));
    json.put("replay", "philly").put("gpus", options.gpus()).put("tenants", options.tenants());
    putTimes(json);
    return workload;
  }

  private void putTimes(JsonObject json) {
    json.put("checkpoint", checkpoint().toSeconds() + "s");
    json.put("holdAfter", holdAfter().equals(NEVER) ? "never" : holdAfter().toSeconds() + "s");
  }

  private int gpus(int otherwise) {
    return number("--gpus", gpus, otherwise, 1, MOST_GPUS);
  }

  private Duration checkpoint() {
    return checkpoint == null ? CHECKPOINT : Invocation.duration("--checkpoint", checkpoint);
  }

  private Duration holdAfter() {
    if (holdAfter == null) {
      return Profile.DEFAULT_HOLD_AFTER;
    }
    return holdAfter.equals("never") ? NEVER : Invocation.duration("--hold-after", holdAfter);
  }

  private PreemptWithin preemptWithin() {
    return switch (preemptWithin == null ? "lower-priority" : preemptWithin) {
      case "lower-priority" -> PreemptWithin.LOWER_PRIORITY;
      case "never" -> PreemptWithin.NEVER;
      default ->
          throw new UsageException(
              "\"%s\" is not a value of --preempt-within".formatted(preemptWithin),
              "BAD_FLAG_VALUE",
              "values: lower-priority, never");
    };
  }

  private static int number(
      String flag, @Nullable Integer value, int otherwise, int least, int most) {
    int number = value == null ? otherwise : value;
    if (number < least || number > most) {
      throw new UsageException(
          "%s %d is not between %d and %d".formatted(flag, number, least, most),
          "BAD_FLAG_VALUE",
          "without it, it is " + otherwise);
    }
    return number;
  }

  private static void put(JsonObject json, ReplayResult.Forecasts forecasts) {
    JsonObject object =
        new JsonObject().put("asked", forecasts.asked()).put("unknown", forecasts.unknown());
    forecasts.medianError().ifPresent(error -> object.put("medianError", error, 3));
    json.put(
        "forecasts", object.put("bounded", forecasts.bounded()).put("inTime", forecasts.inTime()));
  }

  private static void put(JsonObject json, ReplayResult result) {
    ReplayResult.Utilisation utilisation = result.utilisation();
    JsonObject waits = new JsonObject();
    result
        .waits()
        .forEach((group, wait) ->
            waits.put(
                group,
                new JsonObject()
                    .put("jobs", wait.jobs())
                    .put("mean", wait.mean(), 1)
                    .put("p50", wait.p50(), 1)
                    .put("p99", wait.p99(), 1)));
    JsonObject preemptions = new JsonObject();
    result.preemptions().forEach((rule, count) -> preemptions.put(rule.name(), count));
    ReplayResult.Decisions decisions = result.decisions();
    json.put("finished", result.finished())
        .put("neverFit", result.neverFit())
        .put("leftOut", result.leftOut())
        .put(
            "utilisation",
            new JsonObject()
                .put("loaded", utilisation.loaded(), 4)
                .put("loadedSeconds", utilisation.loadedTime().toSeconds())
                .put("contended", utilisation.contended(), 4)
                .put("contendedSeconds", utilisation.contendedTime().toSeconds()))
        .put("waitSeconds", waits)
        .put("preemptions", preemptions)
        .put(
            "gpuSeconds",
            new JsonObject()
                .put("used", result.usedGpuSeconds(), 0)
                .put("lost", result.lost().toString()))
        .put(
            "decisions",
            new JsonObject()
                .put("passes", decisions.passes())
                .put("seconds", decisions.sum() / NANOS_PER_SECOND, 1)
                .put("p50Micros", decisions.p50() / NANOS_PER_MICRO, 0)
                .put("p99Micros", decisions.p99() / NANOS_PER_MICRO, 0))
        .put(
            "checked",
            new JsonObject()
                .put("starts", result.checked().starts())
                .put("rests", result.checked().rests()));
  }
}
