package io.headgate.scheduler.core;

import io.headgate.scheduler.core.explain.Check;
import io.headgate.scheduler.core.explain.Check.Verdict;
import io.headgate.scheduler.core.explain.Finding;
import io.headgate.scheduler.core.explain.Finding.Measure;
import io.headgate.scheduler.core.explain.Finding.PolicyUse;
import io.headgate.scheduler.core.explain.Finding.SearchOutcome;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.queue.RoomRequest;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.queue.StartRules;
import io.headgate.scheduler.core.queue.Turn;
import io.headgate.scheduler.core.rights.DepartmentAccount;
import io.headgate.scheduler.core.rights.Levels;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.RemovedUsage;
import io.headgate.scheduler.core.rights.TenantAccount;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Explains the rules on victims for one job, by the requests and bounds that the decision uses.
final class VictimExplanation {
  private VictimExplanation() {}

  /// Why the job does not take slices of others: the requests for room that it may make, and what
  /// became of them.
  ///
  /// @param gaveUp whether the last search for room for it ended at its bound
  static List<Check> preempts(World world, LiveJob job, boolean gaveUp) {
    List<Check> checks = new ArrayList<>();
    Set<PreemptionRule> rules = EnumSet.noneOf(PreemptionRule.class);
    for (RoomRequest request : RoomRequest.of(Turn.of(job), world.bars.isBarred(job))) {
      rules.add(request.rule());
      if (request.within()) {
        rules.add(PreemptionRule.P9);
      }
    }
    QueueState queue = job.queue();
    PolicyAccount account = queue.account();
    boolean entitled = rules.contains(PreemptionRule.P1) && account.isEntitled(queue.need());
    checks.add(
        Check.of(
            "P1",
            "entitled",
            entitled,
            Finding.Sum.of(
                account.id().name(),
                Measure.RESERVATION,
                account.usageWithoutStopping(),
                queue.need(),
                account.reservation())));
    addDepartments(checks, account, queue.need());
    PoolState provider = queue.lane(job).expects();
    if (entitled && provider != null) {
      checks.add(
          new Check(
              "P6",
              "provider",
              Verdict.NO,
              new Finding.ProviderAsked(provider.id().name(), queue.preemptionDelay())));
      return checks;
    }
    if (!rules.isEmpty() && job.preemptsFrom().isAfter(world.decidedAt)) {
      checks.add(
          new Check(
              "P2",
              "preemptAfter",
              Verdict.NO,
              new Finding.PreemptsFrom(account.id().name(), job.preemptsFrom())));
      return checks;
    }
    checks.add(
        new Check(
            "P2",
            "victims",
            entitled ? Verdict.NO : Verdict.NOT_APPLICABLE,
            victims(world, account, outcome(entitled, gaveUp))));
    for (Route route : queue.routes(job)) {
      if (route.tenant().isBound()) {
        addTenants(checks, world, route, queue.need());
      }
    }
    if (entitled) {
      addObstacle(checks, world, job);
    }
    addOtherRights(checks, world, job, rules);
    return checks;
  }

  private static void addObstacle(List<Check> checks, World world, LiveJob job) {
    List<Route> routes = job.queue().routes(job);
    if (!routes.isEmpty() && isEntitledIn(routes.getFirst(), job)) {
      Route first = routes.getFirst();
      world
          .obstacles()
          .on(first, job.queue().account())
          .ifPresent(obstacle ->
              checks.add(
                  new Check(
                      "P4",
                      "in the way",
                      Verdict.NO,
                      new Finding.InTheWay(first.pool().id().name(), obstacle))));
    }
  }

  private static boolean isEntitledIn(Route route, LiveJob job) {
    return new Levels(job.queue().account(), route.tenant()).isEntitled(job.queue().need());
  }

  /// The rights that do not ask for a reservation.
  private static void addOtherRights(
      List<Check> checks, World world, LiveJob job, Set<PreemptionRule> rules) {
    QueueState queue = job.queue();
    PolicyAccount account = queue.account();
    if (world.bars.isBarred(job)) {
      checks.add(new Check("P10", "barred", Verdict.NO, new Finding.Barred()));
    }
    if (rules.contains(PreemptionRule.P10)) {
      checks.add(
          new Check("P10", "share", Verdict.NO, new Finding.NoLargerShare(account.id().name())));
    }
    if (rules.contains(PreemptionRule.P7)) {
      checks.add(new Check("P7", "rank", Verdict.NO, new Finding.NoWorseRank(queue.rank())));
    }
    if (rules.contains(PreemptionRule.P9)) {
      checks.add(
          new Check(
              "P9",
              "priority",
              Verdict.NO,
              new Finding.NoLowerPriority(account.id().name(), job.priority())));
    }
  }

  /// Whether each department lets the job be entitled as things stand. Victims may change that.
  private static void addDepartments(List<Check> checks, PolicyAccount account, long need) {
    Optional<DepartmentAccount> each = account.department();
    while (each.isPresent()) {
      DepartmentAccount department = each.get();
      checks.add(
          Check.of(
              "A3",
              "department entitled",
              department.protectedUsage() + need <= department.reservation(),
              Finding.Sum.of(
                  department.id().name(),
                  Measure.RESERVATION,
                  department.protectedUsage(),
                  need,
                  department.reservation())));
      each = department.parent();
    }
  }

  private static SearchOutcome outcome(boolean entitled, boolean gaveUp) {
    if (!entitled) {
      return SearchOutcome.NOT_MADE;
    }
    return gaveUp ? SearchOutcome.BOUND_REACHED : SearchOutcome.NO_ROOM;
  }

  /// The other policies of the tenant that have attempts.
  private static Finding.Victims victims(
      World world, PolicyAccount account, SearchOutcome outcome) {
    List<PolicyUse> over = new ArrayList<>();
    List<PolicyUse> within = new ArrayList<>();
    for (PolicyAccount other : world.accounts.values()) {
      if (other != account
          && other.id().tenant().equals(account.id().tenant())
          && other.attempts() > 0) {
        (other.isAboveReservation() ? over : within).add(use(other));
      }
    }
    return new Finding.Victims(over, within, outcome);
  }

  /// Whether it may take from other tenants. They are not named: nothing of one is visible in
  /// another.
  private static void addTenants(List<Check> checks, World world, Route route, long need) {
    TenantAccount own = route.tenant();
    boolean entitled = own.protectedUsage() + need <= own.reservation();
    checks.add(
        Check.of(
            "A3",
            "tenant entitled",
            entitled,
            StartRules.sum(own, Measure.RESERVATION, own.protectedUsage(), need)));
    long over = 0;
    for (TenantAccount other : world.tenants(route.pool()).accounts()) {
      over += other == own ? 0 : other.over(0);
    }
    checks.add(
        new Check(
            "A3",
            "other tenants",
            entitled ? Verdict.NO : Verdict.NOT_APPLICABLE,
            new Finding.OtherTenants(own.pool().name(), over)));
  }

  /// Whether jobs of other departments may take it, because the department is above its
  /// reservation.
  private static void addDepartments(List<Check> checks, LiveAttempt attempt) {
    RemovedUsage.Path levels = new RemovedUsage().path(attempt.levels());
    Optional<DepartmentAccount> each = attempt.policy().department();
    for (int unit = 1; each.isPresent(); unit++) {
      DepartmentAccount department = each.get();
      boolean mayBeVictim = levels.mayLose(unit);
      PolicyUse use =
          new PolicyUse(
              "department " + department.id().name(),
              department.usageWithoutStopping(),
              department.reservation());
      checks.add(
          new Check(
              "A3",
              "department reservation",
              mayBeVictim ? Verdict.NO : Verdict.OK,
              new Finding.PolicyExposure(use, mayBeVictim)));
      each = department.parent();
    }
  }

  private static PolicyUse use(PolicyAccount account) {
    return new PolicyUse(
        account.id().name(), account.usageWithoutStopping(), account.reservation());
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
    boolean mayBeVictim = account.isAboveReservation();
    checks.add(
        new Check(
            "P2",
            "reservation",
            mayBeVictim ? Verdict.NO : Verdict.OK,
            new Finding.PolicyExposure(use(account), mayBeVictim)));
    addDepartments(checks, attempt);
    TenantAccount tenant = attempt.tenant();
    if (tenant.isBound()) {
      boolean isTenantAbove = tenant.isAboveReservation();
      checks.add(
          new Check(
              "A3",
              "tenant reservation",
              isTenantAbove ? Verdict.NO : Verdict.OK,
              new Finding.TenantExposure(
                  tenant.tenant().toString(),
                  tenant.pool().name(),
                  tenant.usageWithoutStopping(),
                  tenant.reservation(),
                  isTenantAbove)));
    }
    return checks;
  }
}
