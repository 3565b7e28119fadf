package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.SpentBudget;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.explain.Check;
import io.headgate.scheduler.core.explain.Check.Verdict;
import io.headgate.scheduler.core.explain.Finding;
import io.headgate.scheduler.core.explain.Finding.Measure;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.rights.DepartmentAccount;
import io.headgate.scheduler.core.rights.Levels;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.TenantAccount;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Applies the rules for starting a job, A1 to A8. A decision needs the answers alone. An
/// explanation makes the same calls and also keeps a [Check] of each, with the compared numbers. So
/// both agree whether a job may start now.
///
/// They may name different obstacles. Holds count against a pool's capacity here: where they fill
/// it, the check of A7 says no. The [Block] then names the hold.
public final class StartRules {
  /// Keeps no checks: the form for decisions, which allocates nothing.
  public static final StartRules ANSWERS_ONLY = new StartRules(null, null);

  private final @Nullable UserId user;
  private final @Nullable List<Check> checks;

  private StartRules(@Nullable UserId user, @Nullable List<Check> checks) {
    this.user = user;
    this.checks = checks;
  }

  /// Keeps the checks of a job.
  ///
  /// @param user of the job
  public static StartRules explaining(UserId user) {
    return new StartRules(user, new ArrayList<>());
  }

  /// The checks so far, in the order of the rules; the last one is the first rule that said no.
  public List<Check> checks() {
    return checks == null ? List.of() : checks;
  }

  void neverFits() {
    if (checks != null) {
      checks.add(new Check("A6", "never", Verdict.NO, new Finding.NeverFits()));
    }
  }

  /// @param spent the budget that alone keeps an open queue's jobs from starting
  boolean isOpen(QueueId queue, boolean open, Optional<SpentBudget> spent) {
    if (checks != null) {
      checks.add(
          Check.of(
              "A1",
              "access",
              open,
              spent.isPresent()
                  ? new Finding.BudgetSpent(spent.get())
                  : new Finding.QueueOpen(queue.name(), open)));
    }
    return open;
  }

  /// @param exceedsLimit whether the user may exceed the limit on idle capacity
  boolean isWithinLimit(PolicyAccount account, long need, boolean exceedsLimit) {
    boolean within = account.hasRoom(need);
    boolean mayStart = within || exceedsLimit;
    if (checks != null) {
      Finding.Sum sum =
          Finding.Sum.of(
              account.id().name(), Measure.LIMIT, account.charged(), need, account.limit());
      checks.add(
          Check.of(
              "A2",
              "limit",
              mayStart,
              within || user == null || !mayStart ? sum : sum.exceededBy(user.name())));
    }
    return mayStart;
  }

  boolean isWithinUserLimit(PolicyAccount account, UserId limited, long need) {
    boolean within = account.hasRoomForUser(limited, need);
    if (checks != null) {
      checks.add(
          Check.of(
              "A4",
              "user limit",
              within,
              Finding.Sum.of(
                  limited.name(),
                  Measure.LIMIT,
                  account.charged(limited),
                  need,
                  account.perUserLimit())));
    }
    return within;
  }

  /// Whether the limits of the departments leave room (A3).
  boolean areWithinDepartmentLimits(PolicyAccount account, long need) {
    if (account.department().isEmpty()) {
      return true;
    }
    Optional<DepartmentAccount> full = Levels.full(account, need);
    if (checks != null) {
      DepartmentAccount each = account.department().orElse(null);
      while (each != null) {
        if (each.isLimited()) {
          checks.add(
              Check.of(
                  "A3",
                  "department limit",
                  need == 0 || need <= each.limit() - each.charged(),
                  Finding.Sum.of(
                      each.id().name(), Measure.LIMIT, each.charged(), need, each.limit())));
        }
        each = each.parent().orElse(null);
      }
    }
    return full.isEmpty();
  }

  /// @param overReservation whether jobs of the queue may start above the reservation
  boolean isWithinReservation(PolicyAccount account, long need, boolean overReservation) {
    if (checks == null) {
      return overReservation || Levels.isEntitledBelowTenant(account, need);
    }
    if (overReservation) {
      checks.add(Check.of("A5", "queue", true, new Finding.OverReservationAllowed()));
      return true;
    }
    boolean ofPolicy = account.isEntitled(need);
    Optional<DepartmentAccount> denying =
        ofPolicy ? Levels.denying(account, need) : Optional.empty();
    checks.add(
        Check.of(
            "A5",
            "queue",
            ofPolicy && denying.isEmpty(),
            denying
                .map(department ->
                    sum(department, Measure.RESERVATION, department.protectedUsage(), need))
                .orElseGet(() ->
                    Finding.Sum.of(
                        account.id().name(),
                        Measure.RESERVATION,
                        account.usageWithoutStopping(),
                        need,
                        account.reservation()))));
    return ofPolicy && denying.isEmpty();
  }

  /// Whether the job leaves others the headroom that they hold (O7).
  ///
  /// @param stopping the guard that stops the job; null: none does
  boolean leavesHeadroom(@Nullable Guard<?> stopping) {
    if (checks != null && stopping != null) {
      checks.add(new Check("O7", "headroom", Verdict.NO, stopping.finding(false)));
    }
    return stopping == null;
  }

  boolean admitsNonPreemptible(PolicyAccount account, long need) {
    boolean ofPolicy = account.admitsNonPreemptible(need);
    Optional<DepartmentAccount> denying =
        ofPolicy ? Levels.denyingNonPreemptible(account, need) : Optional.empty();
    if (checks == null) {
      return ofPolicy && denying.isEmpty();
    }
    checks.add(
        Check.of(
            "A8",
            "preemptible",
            ofPolicy && denying.isEmpty(),
            denying
                .map(department ->
                    sum(department, Measure.NON_PREEMPTIBLE, department.nonPreemptible(), need))
                .orElseGet(() ->
                    Finding.Sum.of(
                        account.id().name(),
                        Measure.NON_PREEMPTIBLE,
                        account.nonPreemptible(),
                        need,
                        account.reservation()))));
    return ofPolicy && denying.isEmpty();
  }

  private static Finding.Sum sum(
      DepartmentAccount department, Measure measure, long used, long need) {
    return Finding.Sum.of(department.id().name(), measure, used, need, department.reservation());
  }

  /// Whether a route is open to a job that must be entitled.
  ///
  /// @param open the open ones of all routes
  boolean tenantsLetBeEntitled(List<Route> routes, List<Route> open) {
    if (open.isEmpty() && checks != null) {
      for (Route route : routes) {
        TenantAccount tenant = route.tenant();
        if (tenant.isBound()) {
          checks.add(
              new Check(
                  "A5",
                  "tenant entitled",
                  Verdict.NO,
                  sum(tenant, Measure.RESERVATION, tenant.protectedUsage(), route.need())));
        }
      }
    }
    return !open.isEmpty();
  }

  /// Whether a route is open to a non-preemptible job.
  ///
  /// @param open the open ones of all routes
  boolean tenantsAdmitNonPreemptible(List<Route> routes, List<Route> open) {
    if (!open.isEmpty()) {
      return true;
    }
    if (checks != null) {
      for (Route route : routes) {
        TenantAccount tenant = route.tenant();
        if (tenant.isBound()) {
          checks.add(
              new Check(
                  "A3",
                  "tenant preemptible",
                  Verdict.NO,
                  sum(tenant, Measure.NON_PREEMPTIBLE, tenant.nonPreemptible(), route.need())));
        }
      }
    }
    return false;
  }

  /// A pool where a job does not fit is an obstacle only if the job fits on no route.
  ///
  /// @param fits whether the job fits on one of the routes now
  void supply(List<Route> routes, boolean fits) {
    if (checks != null) {
      for (Route route : routes) {
        addSupply(checks, route, fits);
      }
    }
  }

  private static void addSupply(List<Check> checks, Route route, boolean elsewhere) {
    TenantAccount tenant = route.tenant();
    if (tenant.isLimited()) {
      checks.add(
          new Check(
              "A3",
              "tenant limit",
              verdict(route.hasRoomForTenant(), elsewhere),
              sum(tenant, Measure.LIMIT, tenant.charged(), route.need())));
    }
    PoolState pool = route.pool();
    String name = pool.id().name();
    boolean room = pool.hasRoom(route.need());
    if (pool.pool().flatMap(Pool::capacity).isPresent()) {
      checks.add(
          new Check(
              "A7",
              "pool capacity",
              verdict(room, elsewhere),
              Finding.Sum.of(name, Measure.LIMIT, pool.usedUnits(), route.need(), pool.ceiling())));
    }
    checks.add(
        new Check(
            "A6",
            "fit",
            room ? verdict(route.ranking().fits(), elsewhere) : Verdict.NOT_APPLICABLE,
            new Finding.PoolFit(
                name,
                pool.offeredUnits(),
                pool.tally().readyNodes(),
                pool.usedUnits(),
                pool.idleUnits(),
                route.need())));
  }

  private static Verdict verdict(boolean ok, boolean elsewhere) {
    return ok ? Verdict.OK : elsewhere ? Verdict.NOT_APPLICABLE : Verdict.NO;
  }

  /// The rights of a tenant in a pool, with the bound that the measure compares.
  public static Finding.Sum sum(TenantAccount tenant, Measure measure, long used, long need) {
    return new Finding.Sum(
        tenant.tenant().toString(),
        Optional.of(tenant.pool().name()),
        measure,
        used,
        need,
        measure == Measure.LIMIT ? tenant.limit() : tenant.reservation(),
        Optional.empty());
  }
}
