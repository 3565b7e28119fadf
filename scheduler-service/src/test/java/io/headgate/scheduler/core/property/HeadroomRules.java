package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.HeadroomHold;
import io.headgate.scheduler.core.job.HeadroomScope;
import io.headgate.scheduler.core.job.HeadroomScope.Bound;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.property.Reference.Standing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The jobs that the headroom of others keeps from starting (O7), from the text.
final class HeadroomRules {
  private final Reference rules;

  /// The jobs that hold headroom, in the order of their submission.
  private final List<Job> holders;

  HeadroomRules(Reference rules) {
    this.rules = rules;
    this.holders = rules.shadow.live().stream().filter(job -> job.headroom().isPresent()).toList();
  }

  /// A limit of a job.
  record Limit(HeadroomScope scope, Job job, PolicyId policy, Optional<Department> department) {
    boolean isSame(Limit other) {
      boolean isOneLevel =
          department.isPresent() ? scope.equals(other.scope) : policy.equals(other.policy);
      return isOneLevel
          && scope.equals(other.scope)
          && (scope.bound() != Bound.USER_LIMIT
              || job.spec().user().equals(other.job.spec().user()));
    }
  }

  /// Use of the limit by an attempt or a hold.
  ///
  /// @param mayEnd whether headroom may be held until it ends
  record Part(PolicyId policy, long units, boolean mayEnd, Optional<Instant> at) {}

  static Set<HeadroomScope> scopes(List<Limit> limits) {
    return limits.stream().map(Limit::scope).collect(Collectors.toSet());
  }

  /// The job that holds the headroom that this one would use. A job waits with the first of its
  /// lane; of those that are promoted like it, if it is.
  Optional<Job> holderBefore(Job job) {
    if (holders.isEmpty()) {
      return Optional.empty();
    }
    boolean waits = job.state() == JobState.WAITING && !rules.isHeldFor(job);
    return stopping(waits ? headOf(job) : job);
  }

  private Job headOf(Job job) {
    Optional<Duration> longest = promotedAfter(job).max(Comparator.naturalOrder());
    Job head = laneHeads().getOrDefault(lane(job), job);
    if (longest.isEmpty()) {
      return head;
    }
    return rules.heads().stream()
        .filter(other -> rules.queue(other.spec().queue()).equals(Optional.of(rules.queue(job))))
        .filter(other -> lane(other).equals(lane(job)))
        .filter(other -> promotedAfter(other).anyMatch(longest.get()::equals))
        .min((one, other) -> rules.turns.isAhead(one, other) ? -1 : 1)
        .orElse(head);
  }

  /// The waits after which pools have promoted it.
  private Stream<Duration> promotedAfter(Job job) {
    return rules.routes(job).stream()
        .filter(pool -> rules.turns.isPromoted(job, pool))
        .flatMap(pool -> pool.promoteAfter().stream());
  }

  /// The first job of each lane, of those whose queues have a policy.
  Map<List<Object>, Job> laneHeads() {
    Map<List<Object>, Job> lanes = new LinkedHashMap<>();
    for (Job job : rules.heads()) {
      if (rules
          .queue(job.spec().queue())
          .flatMap(queue -> rules.shadow.policy(queue.policy()))
          .isPresent()) {
        lanes.merge(lane(job), job, (a, b) -> rules.turns.isAhead(a, b) ? a : b);
      }
    }
    return lanes;
  }

  private List<Object> lane(Job job) {
    boolean byUser = rules.policy(job).perUserLimit().isPresent();
    return List.of(
        job.spec().queue(),
        byUser ? job.spec().user() : "",
        rules.preemptible(job),
        rules.mayExceedLimit(job));
  }

  private Optional<Job> stopping(Job job) {
    for (Job holder : holders) {
      for (Limit limit : limits(holder)) {
        HeadroomHold hold = holder.headroom().orElseThrow();
        if (hold.scopes().contains(limit.scope()) && stops(limit, hold, job)) {
          return Optional.of(holder);
        }
      }
    }
    return Optional.empty();
  }

  private boolean stops(Limit limit, HeadroomHold hold, Job job) {
    long added = added(limit, job);
    boolean endsInTime =
        job.spec()
            .longest()
            .filter(longest -> !rules.now.plus(longest).isAfter(hold.passableUntil()))
            .isPresent();
    return !job.id().equals(limit.job().id())
        && added > 0
        && !leavesRoom(limit, added)
        && !endsInTime
        && !isBefore(job, limit.job());
  }

  /// All limits that a job has.
  List<Limit> limits(Job job) {
    List<Limit> limits = new ArrayList<>();
    List<Bound> bounds = new ArrayList<>(List.of(Bound.LIMIT));
    if (!rules.queue(job).overReservation()) {
      bounds.add(Bound.RESERVATION);
    }
    if (!rules.preemptible(job)) {
      bounds.add(Bound.NON_PREEMPTIBLE);
    }
    PolicyId policy = rules.queue(job).policy();
    for (Bound bound : bounds) {
      if (bound != Bound.LIMIT || !rules.mayExceedLimit(job)) {
        limits.add(new Limit(HeadroomScope.ofPolicy(bound), job, policy, Optional.empty()));
      }
      for (Department each : rules.departmentsOf(job)) {
        limits.add(new Limit(HeadroomScope.of(bound, each.id()), job, policy, Optional.of(each)));
      }
    }
    if (rules.policy(job).perUserLimit().isPresent()) {
      HeadroomScope scope = HeadroomScope.ofPolicy(Bound.USER_LIMIT);
      limits.add(new Limit(scope, job, policy, Optional.empty()));
    }
    return limits;
  }

  private boolean isInScope(Limit limit, PolicyId policy) {
    return limit
        .department()
        .map(department -> rules.departments.isBelow(policy, department))
        .orElse(policy.equals(limit.policy()));
  }

  private long added(Limit limit, Job job) {
    PolicyId policy = rules.queue(job).policy();
    long need = rules.need(job);
    if (!isInScope(limit, policy)) {
      return 0;
    }
    return switch (limit.scope().bound()) {
      case LIMIT -> need;
      case USER_LIMIT -> job.spec().user().equals(limit.job().spec().user()) ? need : 0;
      case NON_PREEMPTIBLE -> rules.preemptible(job) ? 0 : need;
      case RESERVATION -> {
        long used = rules.standing(policy, Set.of());
        long most = rules.reservation(policy);
        yield limit.department().isEmpty()
            ? need
            : Math.min(used + need, most) - Math.min(used, most);
      }
    };
  }

  /// Whether the limit leaves no room for its job, whatever blocked jobs hold.
  boolean blocks(Limit limit) {
    return !leavesRoom(limit, 0, rules.without(BlockedHoldCheck.blocked(rules.shadow)));
  }

  /// Whether the limit leaves room for its job beside so much more, whatever that job holds.
  private boolean leavesRoom(Limit limit, long more) {
    return leavesRoom(limit, more, rules.without(Set.of(limit.job().id())));
  }

  private boolean leavesRoom(Limit limit, long more, Reference others) {
    PolicyId policy = limit.policy();
    Optional<Department> department = limit.department();
    long used =
        switch (limit.scope().bound()) {
          case LIMIT -> department.map(others::charged).orElseGet(() -> others.charged(policy));
          case USER_LIMIT -> others.chargedByUser(policy, limit.job().spec().user());
          case RESERVATION ->
              department
                  .map(each -> others.protectedUsage(each, Set.of()))
                  .orElseGet(() -> others.standing(policy, Set.of()));
          case NON_PREEMPTIBLE ->
              department.map(others::nonPreemptible).orElseGet(() -> others.nonPreemptible(policy));
        };
    return used + rules.need(limit.job()) + more <= most(limit);
  }

  private long most(Limit limit) {
    Optional<Department> department = limit.department();
    return switch (limit.scope().bound()) {
      case LIMIT ->
          department.map(rules.departments::limit).orElseGet(() -> rules.limit(limit.policy()));
      case USER_LIMIT -> rules.policy(limit.job()).perUserLimit().orElseThrow().units();
      case RESERVATION, NON_PREEMPTIBLE ->
          department
              .map(rules.departments::reservation)
              .orElseGet(() -> rules.reservation(limit.policy()));
    };
  }

  /// Everything that counts in the limit, once what stops has stopped.
  List<Part> parts(Limit limit) {
    Bound bound = limit.scope().bound();
    List<Part> parts = new ArrayList<>();
    for (Attempt attempt : rules.shadow.attempts.values()) {
      Job job = rules.job(attempt);
      if (!counts(limit, attempt.policy(), job, attempt.preemptible())) {
        continue;
      }
      if (isReturning(attempt)) {
        parts.add(new Part(attempt.policy(), Shadow.units(attempt), true, Optional.empty()));
      } else if (attempt.stop().isEmpty()) {
        BlockedHoldCheck.Expected end = BlockedHoldCheck.end(attempt, limit.job(), rules);
        boolean mayEnd =
            !end.endless() && (attempt.preemptible() || bound == Bound.NON_PREEMPTIBLE);
        parts.add(new Part(attempt.policy(), Shadow.units(attempt), mayEnd, end.at()));
      }
    }
    for (Hold hold : rules.holds()) {
      Job job = rules.shadow.jobs.get(hold.job());
      if (!job.id().equals(limit.job().id())
          && !hold.isForBlocked()
          && rules.shadow.attempt(job.id()).filter(each -> each.stop().isEmpty()).isEmpty()
          && counts(limit, rules.policyOf(hold), job, rules.preemptible(job))) {
        parts.add(new Part(rules.policyOf(hold), hold.place().units(), true, Optional.empty()));
      }
    }
    return parts;
  }

  /// Whether its job starts again in its old place (O5), kept or not.
  private boolean isReturning(Attempt attempt) {
    return ReturningCheck.stopsToReturn(attempt)
        && !rules.shadow.holds.containsKey(attempt.id().job());
  }

  private boolean counts(Limit limit, PolicyId policy, Job job, boolean preemptible) {
    return isInScope(limit, policy)
        && switch (limit.scope().bound()) {
          case LIMIT, RESERVATION -> true;
          case USER_LIMIT -> job.spec().user().equals(limit.job().spec().user());
          case NON_PREEMPTIBLE -> !preemptible;
        };
  }

  /// Whether they leave room for the limit's job.
  boolean leaveRoom(Limit limit, List<Part> parts) {
    Map<PolicyId, Long> usage = new LinkedHashMap<>();
    parts.forEach(part -> usage.merge(part.policy(), part.units(), Long::sum));
    boolean isProtected =
        limit.scope().bound() == Bound.RESERVATION && limit.department().isPresent();
    long used = 0;
    for (Map.Entry<PolicyId, Long> each : usage.entrySet()) {
      used +=
          isProtected
              ? Math.min(each.getValue(), rules.reservation(each.getKey()))
              : each.getValue();
    }
    return used + rules.need(limit.job()) <= most(limit);
  }

  // --- The order.

  private boolean isBefore(Job first, Job second) {
    if (rules.queue(first).policy().equals(rules.queue(second).policy())) {
      return compareWithin(first, second) < 0;
    }
    return rules.isEntitled(first) || compareBetween(first, second) < 0;
  }

  /// O2, O3 and O5.
  int compareWithin(Job first, Job second) {
    int position = comparePositions(first, second);
    return position != 0 ? position : ahead(first, second);
  }

  /// O2 and O3; by O7 a promoted job is first.
  private int comparePositions(Job first, Job second) {
    boolean promoted = !rules.turns.promotedIn(first).isEmpty();
    boolean otherPromoted = !rules.turns.promotedIn(second).isEmpty();
    if (promoted || otherPromoted) {
      return Boolean.compare(otherPromoted, promoted);
    }
    int position = Integer.compare(position(first), position(second));
    return position != 0
        ? position
        : Integer.compare(rules.queue(first).rank(), rules.queue(second).rank());
  }

  private int ahead(Job first, Job second) {
    return first.id().equals(second.id()) ? 0 : rules.turns.isAhead(first, second) ? -1 : 1;
  }

  private int position(Job job) {
    return rules.routes(job).stream()
        .mapToInt((Pool pool) -> rules.turns.position(pool, job))
        .min()
        .orElse(Integer.MAX_VALUE);
  }

  /// O1 to O5, with the standing that each has once its limits leave room.
  int compareBetween(Job first, Job second) {
    if (standing(first) != standing(second)) {
      return standing(first).compareTo(standing(second));
    }
    int position = comparePositions(first, second);
    if (position != 0) {
      return position;
    }
    int shares = TurnRules.compare(shares(first), shares(second));
    return shares != 0 ? shares : ahead(first, second);
  }

  private Standing standing(Job job) {
    if (rules.isEntitled(job)) {
      return Standing.ENTITLED;
    }
    boolean isLent =
        rules.departmentsOf(job).stream()
            .anyMatch(each ->
                rules.standing(each, Set.of()) + rules.need(job)
                    <= rules.departments.reservation(each));
    return isLent ? Standing.LENT : Standing.OVER_RESERVATION;
  }

  private List<Double> shares(Job job) {
    boolean isEntitled = standing(job) == Standing.ENTITLED;
    return rules.turns.presentShares(rules.queue(job).policy(), isEntitled);
  }
}
