package io.headgate.scheduler.core;

import static io.headgate.scheduler.core.Explainer.add;
import static io.headgate.scheduler.core.Explainer.sum;

import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.explain.Check;
import io.headgate.scheduler.core.explain.Check.Verdict;
import io.headgate.scheduler.core.explain.Finding;
import io.headgate.scheduler.core.explain.Finding.Measure;
import io.headgate.scheduler.core.explain.Finding.PolicyUse;
import io.headgate.scheduler.core.explain.Finding.SearchOutcome;
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
            Measure.RESERVATION,
            account.standing(),
            queue.need(),
            account.reservation()));
    List<PolicyUse> over = new ArrayList<>();
    List<PolicyUse> within = new ArrayList<>();
    for (PolicyAccount other : world.accounts.values()) {
      if (other != account
          && other.id().tenant().equals(account.id().tenant())
          && other.attempts() > 0) {
        (other.over(0) > 0 ? over : within).add(use(other));
      }
    }
    PoolState provider = queue.lane(job).expects();
    if (queue.isEntitled() && provider != null) {
      checks.add(
          new Check(
              "P6",
              "provider",
              Verdict.NO,
              new Finding.ProviderAsked(provider.id().name(), queue.preemptionDelay())));
      return checks;
    }
    SearchOutcome outcome =
        !queue.isEntitled()
            ? SearchOutcome.NOT_MADE
            : gaveUp ? SearchOutcome.BOUND_REACHED : SearchOutcome.NO_ROOM;
    checks.add(
        new Check(
            "P2",
            "victims",
            queue.isEntitled() ? Verdict.NO : Verdict.NOT_APPLICABLE,
            new Finding.Victims(over, within, outcome)));
    for (Route route : queue.routes(job)) {
      if (route.tenant().isBound()) {
        addTenants(checks, world, route, queue.need());
      }
    }
    if (!queue.isEntitled() && queue.reclaim() == Reclaim.RANK) {
      checks.add(new Check("P7", "rank", Verdict.NO, new Finding.NoWorseRank(queue.rank())));
    }
    if (account.preemptsWithin()) {
      checks.add(
          new Check(
              "P9",
              "priority",
              Verdict.NO,
              new Finding.NoLowerPriority(account.id().name(), job.priority())));
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
        sum(own, Measure.RESERVATION, own.standing(), need, own.reservation()));
    long over = 0;
    for (TenantAccount other : world.tenants(route.pool()).accounts()) {
      over += other == own ? 0 : other.over(0);
    }
    checks.add(
        new Check(
            "A3",
            "other tenants",
            own.isEntitled(need) ? Verdict.NO : Verdict.NOT_APPLICABLE,
            new Finding.OtherTenants(pool, over)));
  }

  private static PolicyUse use(PolicyAccount account) {
    return new PolicyUse(account.id().name(), account.standing(), account.reservation());
  }

  /// The rules by which a running or suspended job may become a victim.
  static List<Check> exposure(LiveAttempt attempt) {
    if (attempt.isSuspended()) {
      return attempt.isKept() && !attempt.pool().isDedicated()
          ? List.of(new Check("P1", "memory", Verdict.NO, new Finding.KeptInMemory()))
          : List.of();
    }
    PolicyAccount account = attempt.policy();
    if (!attempt.claim().preemptible()) {
      return List.of(new Check("A8", "preemptible", Verdict.OK, new Finding.NeverVictim()));
    }
    if (attempt.pool().isDedicated()) {
      return List.of(new Check("P2", "dedicated", Verdict.OK, new Finding.NeverVictim()));
    }
    List<Check> checks = new ArrayList<>();
    boolean mayBeVictim = account.over(0) > 0;
    checks.add(
        new Check(
            "P2",
            "reservation",
            mayBeVictim ? Verdict.NO : Verdict.OK,
            new Finding.PolicyExposure(use(account), mayBeVictim)));
    TenantAccount tenant = attempt.tenant();
    if (tenant.isBound()) {
      checks.add(
          new Check(
              "A3",
              "tenant reservation",
              tenant.over(0) > 0 ? Verdict.NO : Verdict.OK,
              new Finding.TenantExposure(
                  tenant.tenant().toString(),
                  tenant.pool().name(),
                  tenant.standing(),
                  tenant.reservation(),
                  tenant.over(0) > 0)));
    }
    return checks;
  }
}
