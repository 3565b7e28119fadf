package io.headgate.scheduler.core;

import static io.headgate.scheduler.core.Explainer.add;
import static io.headgate.scheduler.core.Explainer.gpus;
import static io.headgate.scheduler.core.Explainer.sum;

import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.explain.Check;
import io.headgate.scheduler.core.explain.Check.Verdict;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.TenantAccount;
import java.util.ArrayList;
import java.util.List;

/// Applies the rules on victims to one job, and keeps the numbers.
final class VictimRules {
  private VictimRules() {}

  /// Why it does not take others' slices.
  static List<Check> preempts(World world, LiveJob job, boolean gaveUp) {
    List<Check> checks = new ArrayList<>();
    QueueState queue = job.queue();
    PolicyAccount account = queue.account();
    add(
        checks,
        "P1",
        "entitled",
        queue.isEntitled(),
        sum(
            account.id().name(),
            account.standing(),
            queue.need(),
            account.reservation(),
            "reservation "));
    List<String> over = new ArrayList<>();
    List<String> within = new ArrayList<>();
    for (PolicyAccount other : world.accounts.values()) {
      if (other != account
          && other.id().tenant().equals(account.id().tenant())
          && other.attempts() > 0) {
        String text =
            "%s (%s of %s)"
                .formatted(other.id().name(), gpus(other.standing()), gpus(other.reservation()));
        (other.over(0) > 0 ? over : within).add(text);
      }
    }
    PoolState provider = queue.lane(job).expects();
    if (queue.isEntitled() && provider != null) {
      checks.add(
          new Check(
              "P6",
              "provider",
              Verdict.NO,
              "%s was asked for an instance; it preempts if none comes within %s s"
                  .formatted(provider.id().name(), queue.preemptionDelay().toSeconds())));
      return checks;
    }
    if (!queue.isEntitled()) {
      checks.add(new Check("P2", "victims", Verdict.NOT_APPLICABLE, victims(over, within)));
    } else {
      checks.add(
          new Check(
              "P2",
              "victims",
              Verdict.NO,
              victims(over, within)
                  + (over.isEmpty()
                      ? ""
                      : gaveUp
                          ? "; no room was found within the bound of the search, there may be some"
                          : "; what of it may go and runs in the job's pools makes no room")));
    }
    for (Route route : queue.routes(job)) {
      if (route.tenant().isBound()) {
        addTenants(checks, world, route, queue.need());
      }
    }
    if (!queue.isEntitled() && queue.reclaim() == Reclaim.RANK) {
      checks.add(
          new Check(
              "P7",
              "rank",
              Verdict.NO,
              "nobody of worse rank above the reservation makes room for rank " + queue.rank()));
    }
    if (account.preemptsWithin()) {
      checks.add(
          new Check(
              "P9",
              "priority",
              Verdict.NO,
              "no job of %s of a priority below %d makes room"
                  .formatted(account.id().name(), job.priority())));
    }
    return checks;
  }

  /// Whether it may take from other tenants. They are not named: nothing of one is visible in
  /// another.
  private static void addTenants(List<Check> checks, World world, Route route, long need) {
    TenantAccount own = route.tenant();
    String pool = own.pool().name();
    add(
        checks,
        "A3",
        "tenant entitled",
        own.isEntitled(need),
        sum(own.tenant() + " in " + pool, own.standing(), need, own.reservation(), "reservation "));
    long over = 0;
    for (TenantAccount other : world.tenants(route.pool()).accounts()) {
      over += other == own ? 0 : other.over(0);
    }
    checks.add(
        new Check(
            "A3",
            "other tenants",
            own.isEntitled(need) ? Verdict.NO : Verdict.NOT_APPLICABLE,
            over == 0
                ? "none is above its reservation in " + pool
                : "they use %s above their reservations in %s".formatted(gpus(over), pool)));
  }

  private static String victims(List<String> over, List<String> within) {
    if (over.isEmpty()) {
      return within.isEmpty()
          ? "nobody else runs"
          : "nobody is above the reservation: " + String.join(", ", within);
    }
    return "above the reservation: " + String.join(", ", over);
  }

  /// The rules by which a running or suspended job may become a victim.
  static List<Check> exposure(LiveAttempt attempt) {
    if (attempt.isSuspended()) {
      String text =
          "may be stopped, before what runs, for an entitled job that finds no other room; one of"
              + " its own policy only if it is ahead of this";
      return attempt.isKept() && !attempt.pool().isDedicated()
          ? List.of(new Check("P1", "memory", Verdict.NO, text))
          : List.of();
    }
    PolicyAccount account = attempt.policy();
    String usage =
        "%s %s, reservation %s"
            .formatted(account.id().name(), gpus(account.standing()), gpus(account.reservation()));
    if (!attempt.claim().preemptible()) {
      return List.of(new Check("A8", "preemptible", Verdict.OK, "never a victim"));
    }
    if (attempt.pool().isDedicated()) {
      return List.of(new Check("P2", "dedicated", Verdict.OK, "never a victim"));
    }
    List<Check> checks = new ArrayList<>();
    checks.add(
        account.over(0) > 0
            ? new Check(
                "P2", "reservation", Verdict.NO, "may be a victim of an entitled job: " + usage)
            : new Check("P2", "reservation", Verdict.OK, "no victim: " + usage));
    TenantAccount tenant = attempt.tenant();
    if (tenant.isBound()) {
      checks.add(
          new Check(
              "A3",
              "tenant reservation",
              tenant.over(0) > 0 ? Verdict.NO : Verdict.OK,
              "%s of other tenants: %s in %s %s, reservation %s"
                  .formatted(
                      tenant.over(0) > 0 ? "may be a victim" : "no victim",
                      tenant.tenant(),
                      tenant.pool().name(),
                      gpus(tenant.standing()),
                      gpus(tenant.reservation()))));
    }
    return checks;
  }
}
