package io.headgate.scheduler.core;

import io.headgate.scheduler.core.explain.Check;
import io.headgate.scheduler.core.explain.Check.Verdict;
import io.headgate.scheduler.core.explain.Explanation;
import io.headgate.scheduler.core.explain.Explanation.Position;
import io.headgate.scheduler.core.explain.Finding;
import io.headgate.scheduler.core.explain.Finding.Measure;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.queue.Block;
import io.headgate.scheduler.core.queue.Lane;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.queue.WaitingLine;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.TenantAccount;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Applies the rules to one job, one by one, and keeps the numbers.
final class Explainer {
  private Explainer() {}

  static Optional<Position> position(LiveJob job) {
    return job.attempt() != null
        ? Optional.empty()
        : Optional.of(new Position(job.queue().ahead(job) + 1, job.queue().waiting()));
  }

  static List<JobId> waiting(QueueState queue, int limit) {
    List<LiveJob> first = new ArrayList<>();
    for (LiveJob holder : queue.holders()) {
      first.add(holder);
    }
    for (Lane lane : queue.lanes()) {
      addRange(first, lane.line(), 0, limit);
    }
    first.sort(LiveJob.ORDER);
    return ids(first.subList(0, Math.min(limit, first.size())));
  }

  /// @param gaveUp whether the last search for room for it ended at its bound
  static Explanation explain(World world, LiveJob job, boolean gaveUp) {
    boolean waits = job.attempt() == null;
    boolean inLane = waits && job.hold() == null;
    List<Check> starts = inLane ? starts(job) : List.of();
    boolean supplyOnly = inLane && isSupply(job.queue().lane(job).block());
    return new Explanation(
        job.toJob(),
        Reasons.of(job),
        position(job),
        starts,
        supplyOnly ? VictimRules.preempts(world, job, gaveUp) : List.of(),
        waits ? ahead(job) : List.of(),
        inLane ? behind(job) : List.of(),
        Optional.ofNullable(job.hold()).map(LiveHold::hold),
        Optional.ofNullable(job.attempt()).map(LiveAttempt::toAttempt),
        job.attempt() == null ? List.of() : VictimRules.exposure(job.attempt()));
  }

  /// Whether others' leaving would let the job start.
  private static boolean isSupply(Block block) {
    return switch (block) {
      case TENANT_LIMIT, POOL_CAPACITY, HOLD, CAPACITY, FRAGMENTATION, PROVIDER -> true;
      case NEVER_FITS,
          CLOSED,
          LIMIT,
          USER_LIMIT,
          OVER_RESERVATION,
          NON_PREEMPTIBLE,
          TENANT_NON_PREEMPTIBLE,
          NONE ->
          false;
    };
  }

  /// The A rules in order, up to the first that says no.
  private static List<Check> starts(LiveJob job) {
    List<Check> checks = new ArrayList<>();
    QueueState queue = job.queue();
    Lane lane = queue.lane(job);
    Block block = lane.block();
    if (block == Block.NEVER_FITS) {
      checks.add(new Check("A6", "never", Verdict.NO, new Finding.NeverFits()));
      return checks;
    }
    PolicyAccount account = queue.account();
    long need = queue.need();
    add(
        checks,
        "A1",
        "access",
        block != Block.CLOSED,
        new Finding.QueueOpen(queue.id().name(), block != Block.CLOSED));
    String policy = account.id().name();
    if (isOpen(checks)) {
      add(
          checks,
          "A2",
          "limit",
          block != Block.LIMIT,
          new Finding.Sum(
              policy,
              Optional.empty(),
              Measure.LIMIT,
              account.charged(),
              need,
              account.limit(),
              lane.id().exceedsLimit() && account.charged() + need > account.limit()
                  ? Optional.of(job.user().name())
                  : Optional.empty()));
    }
    if (isOpen(checks) && lane.user().isPresent()) {
      add(
          checks,
          "A4",
          "user limit",
          block != Block.USER_LIMIT,
          sum(
              lane.user().get().name(),
              Measure.LIMIT,
              account.charged(lane.user().get()),
              need,
              account.perUserLimit()));
    }
    if (isOpen(checks)) {
      add(
          checks,
          "A5",
          "queue",
          block != Block.OVER_RESERVATION,
          queue.overReservation()
              ? new Finding.OverReservationAllowed()
              : sum(policy, Measure.RESERVATION, account.standing(), need, account.reservation()));
    }
    if (isOpen(checks) && !lane.isPreemptible()) {
      add(
          checks,
          "A8",
          "preemptible",
          block != Block.NON_PREEMPTIBLE,
          sum(
              policy,
              Measure.NON_PREEMPTIBLE,
              account.nonPreemptible(),
              need,
              account.reservation()));
    }
    if (isOpen(checks) && block == Block.TENANT_NON_PREEMPTIBLE) {
      addTenantReservation(checks, queue, need);
    } else if (isOpen(checks)) {
      addSupply(checks, lane.routes(), need);
    }
    return checks;
  }

  private static void addSupply(List<Check> checks, List<Route> routes, long need) {
    boolean fits = false;
    for (Route route : routes) {
      fits |= route.fits();
    }
    for (Route route : routes) {
      PoolState pool = route.pool();
      String name = pool.id().name();
      addTenant(checks, route, need, fits);
      boolean room = pool.hasRoom(need);
      if (pool.pool().flatMap(known -> known.capacity()).isPresent()) {
        checks.add(
            new Check(
                "A7",
                "pool capacity",
                verdict(room, fits),
                sum(name, Measure.LIMIT, pool.usedUnits(), need, pool.ceiling())));
      }
      checks.add(
          new Check(
              "A6",
              "fit",
              room ? verdict(route.ranking().fits(), fits) : Verdict.NOT_APPLICABLE,
              new Finding.PoolFit(
                  name,
                  pool.offeredUnits(),
                  pool.readyNodes(),
                  pool.usedUnits(),
                  pool.idleUnits(),
                  need)));
    }
  }

  private static void addTenantReservation(List<Check> checks, QueueState queue, long need) {
    for (Route route : queue.routes()) {
      TenantAccount tenant = route.tenant();
      if (tenant.isBound()) {
        checks.add(
            new Check(
                "A3",
                "tenant preemptible",
                route.admitsNonPreemptible() ? Verdict.NOT_APPLICABLE : Verdict.NO,
                sum(
                    tenant,
                    Measure.NON_PREEMPTIBLE,
                    tenant.nonPreemptible(),
                    need,
                    tenant.reservation())));
      }
    }
  }

  private static void addTenant(List<Check> checks, Route route, long need, boolean fits) {
    TenantAccount tenant = route.tenant();
    if (tenant.isLimited()) {
      checks.add(
          new Check(
              "A3",
              "tenant limit",
              verdict(route.hasRoomForTenant(), fits),
              sum(tenant, Measure.LIMIT, tenant.charged(), need, tenant.limit())));
    }
  }

  /// A pool that cannot take the job stands in its way only if no other can.
  private static Verdict verdict(boolean ok, boolean elsewhere) {
    return ok ? Verdict.OK : elsewhere ? Verdict.NOT_APPLICABLE : Verdict.NO;
  }

  private static List<JobId> ahead(LiveJob job) {
    int most = Explanation.MAX_NEIGHBOURS;
    List<LiveJob> nearest = new ArrayList<>();
    for (LiveJob holder : job.queue().holders()) {
      if (LiveJob.ORDER.compare(holder, job) < 0) {
        nearest.add(holder);
      }
    }
    for (Lane lane : job.queue().lanes()) {
      int before = lane.line().ahead(job);
      addRange(nearest, lane.line(), before - most, before);
    }
    nearest.sort(LiveJob.ORDER);
    return ids(nearest.subList(Math.max(0, nearest.size() - most), nearest.size()));
  }

  private static List<JobId> behind(LiveJob job) {
    List<LiveJob> next = new ArrayList<>();
    WaitingLine<LiveJob> line = job.queue().lane(job).line();
    int own = line.ahead(job);
    addRange(next, line, own + 1, own + 1 + Explanation.MAX_NEIGHBOURS);
    return ids(next);
  }

  private static void addRange(List<LiveJob> target, WaitingLine<LiveJob> line, int from, int to) {
    for (int i = Math.max(0, from); i < Math.min(to, line.size()); i++) {
      target.add(line.get(i));
    }
  }

  private static List<JobId> ids(List<LiveJob> jobs) {
    List<JobId> ids = new ArrayList<>();
    for (LiveJob job : jobs) {
      ids.add(job.id());
    }
    return ids;
  }

  private static boolean isOpen(List<Check> checks) {
    return checks.getLast().verdict() != Verdict.NO;
  }

  static void add(List<Check> checks, String rule, String title, boolean ok, Finding finding) {
    checks.add(new Check(rule, title, ok ? Verdict.OK : Verdict.NO, finding));
  }

  static Finding sum(String subject, Measure measure, long used, long need, long bound) {
    return new Finding.Sum(subject, Optional.empty(), measure, used, need, bound, Optional.empty());
  }

  static Finding sum(TenantAccount tenant, Measure measure, long used, long need, long bound) {
    return new Finding.Sum(
        tenant.tenant().toString(),
        Optional.of(tenant.pool().name()),
        measure,
        used,
        need,
        bound,
        Optional.empty());
  }
}
