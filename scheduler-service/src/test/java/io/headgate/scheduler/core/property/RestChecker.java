package io.headgate.scheduler.core.property;

import static io.headgate.scheduler.core.property.Reference.gpus;
import static io.headgate.scheduler.core.property.Violation.require;

import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.HeadroomHold;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.property.Space.Without;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Checks the state, and every reason, at a time when the core has nothing more to decide.
final class RestChecker {
  private static final Set<String> RIGHTS =
      Set.of(
          "NEVER_FITS",
          "QUEUE_CLOSED",
          "LIMIT",
          "USER_LIMIT",
          "OVER_RESERVATION_DENIED",
          "NON_PREEMPTIBLE");

  private final Reference rules;
  private final Shadow shadow;
  private final Supply supply;
  private final SchedulerCore core;

  /// Jobs that hold under O7, in the order in which their holds came in force.
  private final List<JobId> blocked = new ArrayList<>();

  RestChecker(Reference rules, Supply supply, SchedulerCore core) {
    this.rules = rules;
    this.shadow = rules.shadow;
    this.supply = supply;
    this.core = core;
    for (Hold hold : shadow.holds.values()) {
      if (hold.isForBlocked()) {
        blocked.add(hold.job());
      }
    }
  }

  /// The rules as they were at the job's last turn: only holds of O7 count that came into force
  /// earlier. The holds are known in their order. The turn was before the first hold that the job
  /// is ahead of. It was after the holds of its own queue that are ahead of the job. It was after
  /// those of higher priority in a policy whose jobs preempt each other (P9). It was not before the
  /// job was first in its queue. Where it found room in a pool in which its turn came later, it
  /// took its last turn there.
  private Reference atTurnOf(Job job) {
    Set<JobId> later = new LinkedHashSet<>(blocked);
    int after = 0;
    for (int i = 0; i < blocked.size(); i++) {
      Job holder = shadow.jobs.get(blocked.get(i));
      boolean isOfQueue = holder.spec().queue().equals(job.spec().queue());
      if (rules.letsGoFirst(job, holder)
          || (isOfQueue && rules.turns.isAheadInQueue(holder, job))) {
        after = i + 1;
      }
    }
    Optional<Pool> place = Optional.empty();
    for (int i = 0; i < blocked.size(); i++) {
      JobId holder = blocked.get(i);
      Reference then = new Reference(shadow, rules.now, later);
      if (holder.equals(job.id())) {
        return then;
      }
      if (i >= after && isLead(job, then)) {
        Pool at = place.orElseGet(() -> then.turns.placeOf(job));
        if (isBefore(job, at, holder, then)) {
          Optional<Pool> room = roomFor(job, then);
          if (room.isEmpty() || isBefore(job, room.get(), holder, then)) {
            return then;
          }
          place = room;
        }
      }
      later.remove(holder);
    }
    return rules;
  }

  private boolean isBefore(Job job, Pool pool, JobId holder, Reference then) {
    Pool held = shadow.pool(shadow.holds.get(holder).place().pool()).orElseThrow();
    return then.turns.isBefore(job, pool, shadow.jobs.get(holder), held);
  }

  /// The pool in which a job that fits nowhere finds room: by the P rules, or to hold it.
  private Optional<Pool> roomFor(Job job, Reference then) {
    if (then.fitsNow(job)) {
      return Optional.empty();
    }
    Victims possible = new Victims(then);
    for (Victims.Right right : open(possible, job, then)) {
      Optional<Pool> room =
          possible.some(job, right).flatMap(victims -> then.poolWithout(job, victims));
      if (room.isPresent()) {
        return room;
      }
    }
    return BlockedHoldCheck.placeFor(job, then);
  }

  /// Whether it is the job's turn when it is the turn of its queue.
  private static boolean isLead(Job job, Reference then) {
    return then.firsts().stream()
        .noneMatch(first ->
            first.spec().queue().equals(job.spec().queue())
                && then.turns.isAheadInQueue(first, job));
  }

  void check() {
    new WaitingCheck(rules, core).check();
    ReturningCheck.checkRest(rules);
    new HeadroomCheck(rules).check();
    for (Hold hold : shadow.holds.values()) {
      checkHolder(hold);
    }
    shadow.attempts.values().forEach(this::checkSuspended);
    Map<QueueId, Job> firsts = new LinkedHashMap<>();
    for (Job job : rules.heads()) {
      Reason reason = core.reason(job.id()).orElse(null);
      require(reason != null, "every waiting job has a reason", job);
      Optional<String> refusal = rules.refusal(job);
      require(
          refusal.isPresent()
              ? isOf(refusal.get(), reason, job)
              : !RIGHTS.contains(reason.code()) && !(reason instanceof Reason.HeldInLimit),
          "a reason is never wrong",
          job,
          reason,
          refusal);
      requireNumbers(job, reason);
      if (refusal.isEmpty()) {
        firsts.merge(job.spec().queue(), job, (a, b) -> rules.turns.isAheadInQueue(a, b) ? a : b);
        require(
            !rules.fitsNow(job),
            "no free capacity that a waiting job may use (work conserving)",
            job,
            reason);
        // Use above the limit is of idle capacity only (A2).
        PolicyId policy = rules.queue(job).policy();
        if (rules.charged(policy) + rules.need(job) <= rules.limit(policy)) {
          supply.requireAsked(job, rules);
        }
      }
      if (!refusal.equals(Optional.of("NEVER_FITS"))) {
        // Where others of its policy had to go first, its turn was after their holds.
        Reference then = rules.letsOthersGoFirst(job) ? rules : atTurnOf(job);
        require(
            then.refusal(job).isPresent() || !then.fitsNow(job),
            "nobody waits for what a worse-ranked one holds (O7)",
            job);
        requireNoRoom(job, then);
      }
    }
    firsts.values().forEach(this::checkFirst);
  }

  /// Where holds alone fill a limit, the other rights go first, then the hold.
  private boolean isOf(String refusal, Reason reason, Job job) {
    PolicyId policy = rules.queue(job).policy();
    if (reason instanceof Reason.HeldInLimit held && held.until().isPresent()) {
      return refusal.equals("HEADROOM");
    }
    String first = refusal;
    if (first.equals("LIMIT") && rules.used(policy) + rules.need(job) <= rules.limit(policy)) {
      first = rules.refusalBesidesLimit(job).orElse(first);
    }
    if (first.equals("DEPARTMENT_LIMIT")
        && isHeldOnly(rules.fullDepartment(job).orElseThrow(), job)) {
      first = rules.refusalBesidesLimits(job).orElse(first);
    }
    String said = reason instanceof Reason.HeldInLimit limit ? limit.limit().code() : reason.code();
    return said.equals(first.replace("DEPARTMENT_", ""));
  }

  private boolean isHeldOnly(Department full, Job job) {
    return rules.used(full) + rules.need(job) <= rules.departments.limit(full);
  }

  /// A suspended attempt waits for something, and its reason names it.
  private void checkSuspended(Attempt attempt) {
    Job job = shadow.jobs.get(attempt.id().job());
    if (job.state() != JobState.SUSPENDED) {
      return;
    }
    WorkerPlace place = attempt.assignment().workers().getFirst();
    Pool pool = shadow.pool(attempt.assignment().pool()).orElseThrow();
    require(
        !rules.space.isIdle(place)
            || rules.refusal(job).isPresent()
            || !rules.space.isBelowCeiling(pool, rules.profile(job), Without.NOTHING),
        "what is suspended goes on when it can",
        attempt);
    require(
        core.reason(job.id()).orElse(null) instanceof Reason.Suspended said
            && said.node().equals(place.node())
            && said.until().isAfter(rules.now),
        "what is suspended says so, and not for ever",
        attempt);
  }

  private void checkHolder(Hold hold) {
    Job job = shadow.jobs.get(hold.job());
    if (ConsolidationCheck.isMoving(shadow, hold)) {
      return;
    }
    require(job.state() == JobState.WAITING, "a job that goes away releases its hold", hold);
    Reason reason = core.reason(job.id()).orElse(null);
    Pool pool = shadow.pool(hold.place().pool()).orElseThrow();
    if (hold.isForBlocked()) {
      require(
          new Reason.Holding(pool.id(), hold.waitsFor(), hold.expectedStart()).equals(reason),
          "a job that holds says so",
          hold,
          reason);
      BlockedHoldCheck.checkRest(hold, atTurnOf(job));
    } else {
      require(
          new Reason.WaitingForVictims(pool.id(), hold.waitsFor()).equals(reason),
          "a held job waits for it",
          hold,
          reason);
    }
  }

  /// The rights by which it may make room. It takes nothing from other policies as long as an
  /// elastic pool may serve it (P6).
  private List<Victims.Right> open(Victims possible, Job job, Reference then) {
    List<Victims.Right> rights = possible.rightsFor(job);
    if (!supply.mayServe(job, then)) {
      return rights;
    }
    return rights.stream().anyMatch(Victims.Right::within)
        ? List.of(Victims.Right.WITHIN)
        : List.of();
  }

  /// No rule would make room. A queue acts by its first job that rights let start, or that may make
  /// room in a limit. While that one may not preempt yet, those behind it wait with it.
  private void requireNoRoom(Job job, Reference then) {
    Victims possible = new Victims(then);
    for (Job other : then.heads()) {
      if (other.spec().queue().equals(job.spec().queue())
          && then.turns.isAheadInQueue(other, job)
          && possible.waitsToPreempt(other)) {
        return;
      }
    }
    for (Victims.Right right : open(possible, job, then)) {
      require(
          possible.prefix(job, right, EnumSet.allOf(Reference.Standing.class)).isEmpty(),
          "no job waits while the P rules would make room",
          right,
          job);
      require(
          rules.profile(job).workers() > 1
              || possible.permittedOnOneNode(job, right, any -> true).isEmpty(),
          "no job waits while permitted victims of one node would make room (P4)",
          right,
          job,
          possible.permittedOnOneNode(job, right, any -> true));
    }
  }

  /// Whether no other job of its queue comes before it in the pool, where others are promoted.
  private static boolean isFirstIn(Pool pool, Job job, Reference then) {
    return then.heads().stream()
        .filter(other -> other.spec().queue().equals(job.spec().queue()) && !other.equals(job))
        .noneMatch(
            other -> then.refusal(other).isEmpty() && then.turns.isBefore(other, pool, job, pool));
  }

  /// Checks only the first job of a queue.
  private void checkFirst(Job job) {
    for (Hold hold : shadow.holds.values()) {
      if (hold.isForBlocked() && job.spec().maxRuntime().isPresent()) {
        require(
            !BlockedHoldCheck.mayPass(hold, job, rules),
            "a job that ends in time passes a hold (O7)",
            job,
            hold);
      }
    }
    Reference then = atTurnOf(job);
    if (!BlockedHoldCheck.mayHold(job, then) || rules.letsOthersGoFirst(job)) {
      return;
    }
    for (Pool pool : rules.routes(job)) {
      Optional<Hold> hold = BlockedHoldCheck.holdIn(pool.id(), then);
      if (hold.isEmpty() && isFirstIn(pool, job, then)) {
        require(
            BlockedHoldCheck.holdable(pool, job, then).isEmpty(),
            "a job that was blocked for long enough holds (O7)",
            job,
            pool);
      }
    }
  }

  /// The numbers of a reason are those of this moment.
  private void requireNumbers(Job job, Reason reason) {
    if (reason instanceof Reason.NeverFits || reason instanceof Reason.QueueClosed) {
      return;
    }
    PolicyId policy = rules.queue(job).policy();
    Profile profile = rules.profile(job);
    Pool first = rules.routes(job).getFirst();
    long need = rules.need(job);
    boolean right =
        switch (reason) {
          // GateCheck looks at these.
          case Reason.AfterJobs _, Reason.NotBefore _ -> false;
          case Reason.Limit limit ->
              isOfUse(limit, policy, need) && rules.used(policy) + need > rules.limit(policy);
          case Reason.UserLimit limit -> {
            long used = rules.usedByUser(policy, job.spec().user());
            yield limit.usage().units() == used
                && limit.user().equals(job.spec().user())
                && used + need > limit.limit().units();
          }
          case Reason.HeldInLimit held ->
              held.until().isPresent()
                  ? isHeldHeadroom(job, held)
                  : isHeldInLimit(job, held, policy, need);
          case Reason.OverReservationDenied denied ->
              denied.usage().units() == rules.standing(policy, Set.of())
                  && denied.reservation().units() == rules.reservation(policy);
          case Reason.NonPreemptible denied ->
              denied.usage().units() == rules.nonPreemptible(policy)
                  && denied.reservation().units() == rules.reservation(policy);
          case Reason.DepartmentLimit limit ->
              isOfUse(limit, job, need) && limit.usage().units() + need > limit.limit().units();
          case Reason.DepartmentOverReservationDenied denied -> {
            Department department = department(denied.department(), job);
            yield denied.usage().units() == rules.protectedUsage(department, Set.of())
                && denied.reservation().units() == rules.departments.reservation(department)
                && denied.usage().units() + need > denied.reservation().units();
          }
          case Reason.DepartmentNonPreemptible denied -> {
            Department department = department(denied.department(), job);
            yield denied.usage().units() == rules.nonPreemptible(department)
                && denied.reservation().units() == rules.departments.reservation(department)
                && denied.usage().units() + need > denied.reservation().units();
          }
          case Reason.PoolCapacity full ->
              full.pool().equals(first.id())
                  && !rules.space.isBelowCeiling(first, profile, Without.NOTHING)
                  && full.used().units() + need > full.capacity().units();
          case Reason.Hold hold -> isHeldBy(job, hold, first);
          case Reason.Capacity capacity ->
              capacity.pool().equals(first.id())
                  && capacity.idle().units() == rules.space.idle(first)
                  && (need > capacity.idle().units() || need == 0);
          case Reason.Fragmentation fragments ->
              fragments.pool().equals(first.id())
                  && fragments.idle().units() == rules.space.idle(first)
                  && need <= fragments.idle().units();
          case Reason.SetAside aside ->
              aside.pool().equals(first.id())
                  && aside.until().equals(shadow.aside.get(aside.node()))
                  && shadow.nodes.get(aside.node()).pool().equals(first.id());
          case Reason.WaitingForProvider provider ->
              shadow
                  .pool(provider.pool())
                  .filter(pool -> rules.routes(job).contains(pool))
                  .filter(pool -> rules.space.workersOnInstance(pool, profile) > 0)
                  .filter(pool -> supply.isMissing(pool, rules))
                  .isPresent();
          case Reason.NeverFits _,
              Reason.QueueClosed _,
              Reason.Budget _,
              Reason.TenantLimit _,
              Reason.TenantOverReservationDenied _,
              Reason.TenantNonPreemptible _,
              Reason.Holding _,
              Reason.BackingOff _,
              Reason.Suspended _,
              Reason.WaitingForVictims _ ->
              false;
        };
    require(right, "the numbers of a reason are never wrong", job, reason);
  }

  private Department department(DepartmentId id, Job job) {
    return rules.departmentsOf(job).stream()
        .filter(department -> department.id().equals(id))
        .findAny()
        .orElseThrow();
  }

  private boolean isOfUse(Reason.DepartmentLimit limit, Job job, long need) {
    Department full = rules.fullDepartment(job).orElseThrow();
    return limit.equals(
        new Reason.DepartmentLimit(
            full.id(), gpus(rules.used(full)), gpus(need), gpus(rules.departments.limit(full))));
  }

  private boolean isOfUse(Reason.Limit limit, PolicyId policy, long need) {
    return limit.equals(
        new Reason.Limit(policy, gpus(rules.used(policy)), gpus(need), gpus(rules.limit(policy))));
  }

  /// The named job holds the headroom that it would use.
  private boolean isHeldHeadroom(Job job, Reason.HeldInLimit held) {
    return rules
        .headroomHolder(job)
        .filter(holder ->
            holder.id().equals(held.holder())
                && rules.need(holder) == held.held().units()
                && held.until().equals(holder.headroom().map(HeadroomHold::passableUntil)))
        .isPresent();
  }

  /// Use alone leaves room for it, use and holds together leave none, and the named job has one of
  /// the holds.
  private boolean isHeldInLimit(Job job, Reason.HeldInLimit held, PolicyId policy, long need) {
    Hold named = holdOf(held.holder());
    if (named == null) {
      return false;
    }
    if (held.limit() instanceof Reason.DepartmentLimit limit) {
      Department full = rules.fullDepartment(job).orElseThrow();
      return isOfUse(limit, job, need)
          && rules.departments.isBelow(rules.policyOf(named), full)
          && isBetween(rules.used(full), held.held().units(), need, limit.limit().units())
          && rules.used(full) + held.held().units() == rules.charged(full);
    }
    if (!rules.policyOf(named).equals(policy)) {
      return false;
    }
    return switch (held.limit()) {
      case Reason.Limit limit ->
          isOfUse(limit, policy, need)
              && isBetween(rules.used(policy), held.held().units(), need, limit.limit().units())
              && rules.used(policy) + held.held().units() == rules.charged(policy);
      case Reason.UserLimit limit -> {
        UserId user = job.spec().user();
        long used = rules.usedByUser(policy, user);
        yield limit.usage().units() == used
            && shadow.jobs.get(held.holder()).spec().user().equals(user)
            && isBetween(used, held.held().units(), need, limit.limit().units())
            && used + held.held().units() == rules.chargedByUser(policy, user);
      }
      default -> false;
    };
  }

  private Hold holdOf(JobId job) {
    return shadow.holds.getOrDefault(job, shadow.returning.get(job));
  }

  private static boolean isBetween(long used, long held, long need, long limit) {
    return used + need <= limit && used + held + need > limit;
  }

  /// It fits without the holds, and the named job has one of them.
  private boolean isHeldBy(Job job, Reason.Hold hold, Pool first) {
    Hold named = holdOf(hold.holder());
    Set<JobId> all = new HashSet<>(shadow.holds.keySet());
    all.addAll(shadow.returning.keySet());
    return hold.pool().equals(first.id())
        && named != null
        && named.place().pool().equals(first.id())
        && new Reference(shadow, rules.now, all).fits(first, job);
  }
}
