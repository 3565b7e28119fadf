package io.headgate.scheduler.runtime.text;

import io.headgate.kit.config.Durations;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.PreemptionGrounds;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.StopOrder;
import io.headgate.scheduler.core.job.StopOutcome;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.job.WorkerStatus;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.Cancellation;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.type.GpuQuantity;
import io.headgate.type.Viewer;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Describes decisions in one sentence each.
public final class DecisionText {
  /// A gang names this many of its workers' places.
  private static final int PLACES = 4;

  /// Name, in the numbers of a preemption, of the policy whose job takes the place.
  public static final String WINNER = "policy";

  /// The number of a preemption that names the user of the job that took the place.
  public static final String WINNERS_USER = "user";

  private DecisionText() {}

  /// `gpu-0 devices 3-5`, `gpu-1 device 0 (1/2)`, `gpu-0 (no GPU)`.
  static String place(WorkerPlace place) {
    List<Slice> slices = place.slices();
    if (slices.isEmpty()) {
      return place.node().name() + " (no GPU)";
    }
    if (slices.size() == 1) {
      Slice slice = slices.getFirst();
      return place.node().name()
          + " device "
          + slice.device()
          + (slice.quantity().equals(GpuQuantity.ONE) ? "" : " (" + part(slice) + ")");
    }
    return place.node().name() + " devices " + ranges(slices);
  }

  /// `1/2`, and on a device with places `3/8, slice 3g@4`.
  private static String part(Slice slice) {
    return slice
        .placement()
        .map(place -> slice.quantity() + ", slice " + place.label())
        .orElse(slice.quantity().toString());
  }

  /// Where all workers go.
  public static String places(Assignment assignment) {
    List<WorkerPlace> workers = assignment.workers();
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < Math.min(PLACES, workers.size()); i++) {
      text.append(i == 0 ? "" : ", ").append(place(workers.get(i)));
    }
    if (workers.size() > PLACES) {
      text.append(" and ").append(workers.size() - PLACES).append(" more");
    }
    return text.toString();
  }

  /// The program's own report: ` It says that it is 40% done (epoch 3). It last saved its work 40s
  /// ago.` Empty if there is none.
  public static String progress(AttemptRecord attempt, Instant now) {
    String done =
        attempt
            .progress()
            .advance()
            .map(said ->
                " It says that it is %s%% done%s."
                    .formatted(
                        BigDecimal.valueOf(said.permyriad(), 2)
                            .setScale(1, RoundingMode.FLOOR)
                            .stripTrailingZeros()
                            .toPlainString(),
                        said.message().isEmpty() ? "" : " (" + said.message() + ")"))
            .orElse("");
    String saved =
        attempt
            .attempt()
            .checkpointAt()
            .map(at -> Duration.between(at, now).truncatedTo(ChronoUnit.SECONDS))
            .map(ago -> " It last saved its work %s ago.".formatted(Durations.format(ago)))
            .orElse("");
    return done + saved;
  }

  /// How an ended job ended.
  public static String ended(JobRecord job) {
    return EndText.sentence(job);
  }

  public static String assigned(JobRecord job, int attempt, Assignment assignment) {
    return "%s starts%s on %s of %s"
        .formatted(
            job.name().id(),
            attempt == 1 ? "" : " again (attempt " + attempt + ")",
            places(assignment),
            assignment.pool().name());
  }

  /// Says what became of the stopped attempt.
  ///
  /// @param stopped the attempt, as it was before
  /// @param by id of the job that takes the place; of a requeued job the cause, to be appended: `,
  ///   as ada asked`; empty: neither
  public static String stop(JobRecord job, Attempt stopped, StopOrder order, String by) {
    String name = job.name().id();
    boolean wasSuspended = stopped.workers().getFirst() == WorkerStatus.SUSPENDED;
    return switch (order.cause()) {
      case StopCause.Preempted(var _, var rule, var grounds) when rule == PreemptionRule.P11 ->
          "%s moves elsewhere for %s (rule P11): %s".formatted(name, by, grounds(grounds));
      case StopCause.Preempted(var _, var rule, var grounds) ->
          name
              + (wasSuspended
                  ? " gives the memory that it is kept in to "
                  : order.outcome() == StopOutcome.CANCEL
                      ? " is preempted for good by "
                      : " is preempted by ")
              + by
              + " (rule "
              + rule
              + "): "
              + grounds(grounds);
      case StopCause.Cancelled() ->
          name
              + " is stopped because it was cancelled"
              + job.cancellation().map(Cancellation::text).orElse("");
      case StopCause.Requeued() -> name + " is stopped to wait in its queue again" + by;
      case StopCause.SuspensionOver() ->
          name + " was suspended for as long as allowed, or cannot go on there: it is stopped";
      case StopCause.WorkerEnded(int worker, var _) ->
          name + " is stopped because its worker " + worker + " ended without success";
    };
  }

  /// `, as ada asked`.
  ///
  /// @param by empty: no user asked
  public static String asked(String by) {
    return by.isEmpty() ? "" : ", as " + by + " asked";
  }

  /// The stop of a job, for a reader that does not see the job that takes the place.
  public static String byAnotherTeam(String job, String rule) {
    return "%s %s %s (rule %s)"
        .formatted(
            job,
            rule.equals(PreemptionRule.P11.name()) ? "moves elsewhere for" : "is preempted by",
            Viewer.ANOTHER_TEAMS_JOB,
            rule);
  }

  /// The numbers of a preemption without those of the policy that takes the place.
  public static Map<String, String> withoutWinner(Map<String, String> grounds) {
    Map<String, String> detail = new LinkedHashMap<>(grounds);
    detail.keySet().removeAll(List.of(WINNER, WINNERS_USER, "usage", "reservation"));
    return detail;
  }

  /// `devops used 0 of its reservation 5 and needed 3, rnd used 9 of 5`. For a move: `devops needed
  /// 3; the move loses 2m of GPU time`.
  public static String grounds(PreemptionGrounds grounds) {
    if (grounds.lost().isPresent()) {
      return "%s needed %s; the move loses %s of GPU time"
          .formatted(
              grounds.winner().policy().name(),
              grounds.need().mixed(),
              Durations.format(grounds.lost().get().truncatedTo(ChronoUnit.SECONDS)));
    }
    return "%s used %s of its reservation %s and needed %s, %s used %s of %s"
        .formatted(
            grounds.winner().policy().name(),
            grounds.winner().usage().mixed(),
            grounds.winner().reservation().mixed(),
            grounds.need().mixed(),
            grounds.victim().policy().name(),
            grounds.victim().usage().mixed(),
            grounds.victim().reservation().mixed());
  }

  /// The same numbers by name.
  public static Map<String, String> detail(PreemptionGrounds grounds) {
    Map<String, String> detail =
        detail(
            "victimPolicy",
            grounds.victim().policy().name(),
            "victimUsage",
            grounds.victim().usage().toString(),
            "victimReservation",
            grounds.victim().reservation().toString(),
            WINNER,
            grounds.winner().policy().name(),
            "usage",
            grounds.winner().usage().toString(),
            "need",
            grounds.need().toString(),
            "reservation",
            grounds.winner().reservation().toString());
    grounds.lost().ifPresent(lost -> detail.put("lostGpuSeconds", "" + lost.toSeconds()));
    return detail;
  }

  public static Map<String, String> detail(String... namesAndValues) {
    Map<String, String> detail = new LinkedHashMap<>();
    for (int i = 0; i + 1 < namesAndValues.length; i += 2) {
      if (!namesAndValues[i + 1].isEmpty()) {
        detail.put(namesAndValues[i], namesAndValues[i + 1]);
      }
    }
    return detail;
  }

  /// `3-5, 8`: devices as ranges.
  private static String ranges(List<Slice> slices) {
    List<String> ranges = new ArrayList<>();
    int from = slices.getFirst().device();
    int to = from;
    for (Slice slice : slices.subList(1, slices.size())) {
      if (slice.device() != to + 1) {
        ranges.add(range(from, to));
        from = slice.device();
      }
      to = slice.device();
    }
    ranges.add(range(from, to));
    return String.join(", ", ranges);
  }

  private static String range(int from, int to) {
    return from == to ? Integer.toString(from) : from + "-" + to;
  }
}
