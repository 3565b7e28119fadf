package io.headgate.scheduler.runtime.text;

import io.headgate.scheduler.core.explain.Check;
import io.headgate.scheduler.core.explain.Finding;
import io.headgate.scheduler.core.explain.Finding.PolicyUse;
import io.headgate.type.GpuQuantity;
import io.headgate.type.Viewer;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Words the findings of the core's checks: `rnd uses 3 + needs 3 = 6 <= 9`.
public final class CheckText {
  private CheckText() {}

  /// The check's finding in one line.
  ///
  /// @param viewer reads the text; other policies that it does not see are counted, not named
  public static String of(Check check, Viewer viewer) {
    return switch (check.finding()) {
      case Finding.NeverFits() -> "cannot start as configured: see the reason";
      case Finding.QueueOpen(var queue, boolean open) ->
          "queue " + queue + (open ? " open" : " is closed");
      case Finding.BudgetSpent(var spent) -> spent.sentence();
      case Finding.OverReservationAllowed() -> "over-reservation allowed";
      case Finding.Sum sum -> sum(sum);
      case Finding.Headroom headroom -> headroom(headroom);
      case Finding.PoolFit fit -> fit(fit);
      case Finding.ProviderAsked(var pool, var within) ->
          "%s was asked for an instance; it preempts if none comes within %s s"
              .formatted(pool, within.toSeconds());
      case Finding.Victims victims -> victims(victims, viewer);
      case Finding.OtherTenants(var pool, long over) ->
          over == 0
              ? "none is above its reservation in " + pool
              : "they use %s above their reservations in %s".formatted(gpus(over), pool);
      case Finding.NoWorseRank(int rank) ->
          "no job of a worse rank above the reservation makes room for rank " + rank;
      case Finding.NoLowerPriority(var policy, int priority) ->
          "no job of %s of a priority below %d makes room".formatted(policy, priority);
      case Finding.NoLargerShare(var policy) ->
          "no job of a policy with a larger share than %s makes room".formatted(policy);
      case Finding.PreemptsFrom(var policy, var from) ->
          "preempts from %s on: preemptAfter of %s".formatted(from, policy);
      case Finding.Barred() ->
          "was preempted by such a rule, and nothing has happened in its pool from outside since";
      case Finding.InTheWay(var pool, var obstacle) ->
          "in the way in %s: %s".formatted(pool, obstacle);
      case Finding.KeptInMemory() ->
          "may be stopped, before what runs, for an entitled job that finds no other room; one of"
              + " its own policy only if it is ahead of this";
      case Finding.NeverVictim() -> "never a victim";
      case Finding.PolicyExposure(var use, boolean mayBeVictim) ->
          (mayBeVictim ? "may be a victim of an entitled job: " : "no victim: ")
              + "%s %s, reservation %s"
                  .formatted(use.policy(), gpus(use.usage()), gpus(use.reservation()));
      case Finding.TenantExposure exposure ->
          "%s of other tenants: %s in %s %s, reservation %s"
              .formatted(
                  exposure.mayBeVictim() ? "may be a victim" : "no victim",
                  exposure.tenant(),
                  exposure.pool(),
                  gpus(exposure.usage()),
                  gpus(exposure.reservation()));
    };
  }

  private static String sum(Finding.Sum sum) {
    String in = sum.pool().map(pool -> " in " + pool).orElse("");
    String subject =
        switch (sum.measure()) {
          case LIMIT -> sum.subject() + in + " uses";
          case RESERVATION -> sum.subject() + in;
          case NON_PREEMPTIBLE -> sum.subject() + " non-preemptible" + in;
        };
    long total = sum.used() + sum.need();
    return "%s %s + needs %s = %s %s %s%s%s"
        .formatted(
            subject,
            gpus(sum.used()),
            gpus(sum.need()),
            gpus(total),
            total <= sum.bound() ? "<=" : ">",
            sum.measure() == Finding.Measure.LIMIT ? "" : "reservation ",
            gpus(sum.bound()),
            sum.mayExceed()
                .map(user -> ", which " + user + " may exceed on idle capacity")
                .orElse(""));
  }

  private static String headroom(Finding.Headroom headroom) {
    String bound =
        switch (headroom.measure()) {
          case LIMIT -> "limit";
          case RESERVATION -> "reservation";
          case NON_PREEMPTIBLE -> "reservation for non-preemptible jobs";
        };
    return "%s headroom of %s in the %s of %s%s%s"
        .formatted(
            headroom.own() ? "holds" : "another job holds",
            gpus(headroom.units()),
            bound,
            headroom.subject(),
            headroom
                .expectedStart()
                .map(at -> "; it is expected to start by " + at.truncatedTo(ChronoUnit.SECONDS))
                .orElse(""),
            headroom
                .until()
                .map(at ->
                    " until %s; its start is unknown".formatted(at.truncatedTo(ChronoUnit.SECONDS)))
                .orElse(""));
  }

  private static String fit(Finding.PoolFit fit) {
    return "%s offers %s GPU%s on %d node%s: used %s, idle %s, needs %s"
        .formatted(
            fit.pool(),
            gpus(fit.offered()),
            fit.offered() == GpuQuantity.UNITS_PER_GPU ? "" : "s",
            fit.nodes(),
            fit.nodes() == 1 ? "" : "s",
            gpus(fit.used()),
            gpus(fit.idle()),
            gpus(fit.need()));
  }

  private static String victims(Finding.Victims victims, Viewer viewer) {
    if (victims.over().isEmpty()) {
      return victims.within().isEmpty()
          ? "no other policy has running jobs"
          : "no other policy is above its reservation: " + uses(victims.within(), viewer);
    }
    return "above the reservation: "
        + uses(victims.over(), viewer)
        + switch (victims.outcome()) {
          case NOT_MADE -> "";
          case NO_ROOM -> "; what of it may go and runs in the job's pools makes no room";
          case BOUND_REACHED ->
              "; no room was found within the bound of the search, there may be some";
        };
  }

  private static String uses(List<PolicyUse> uses, Viewer viewer) {
    List<String> named =
        uses.stream()
            .filter(use -> viewer.seesTeam(use.policy()))
            .map(use ->
                "%s (%s of %s)".formatted(use.policy(), gpus(use.usage()), gpus(use.reservation())))
            .toList();
    int others = uses.size() - named.size();
    return Stream.concat(
            named.stream(),
            others == 0
                ? Stream.empty()
                : Stream.of(others == 1 ? "one of another team" : others + " of other teams"))
        .collect(Collectors.joining(", "));
  }

  private static String gpus(long units) {
    return GpuQuantity.mixed(units);
  }
}
