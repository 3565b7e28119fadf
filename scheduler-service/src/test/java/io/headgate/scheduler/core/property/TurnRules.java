package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.property.Reference.Standing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/// The order of turns (O1 to O5, promotion by O7), as the rules of a [Reference] have it.
final class TurnRules {
  private final Reference rules;

  TurnRules(Reference rules) {
    this.rules = rules;
  }

  /// Whether the job has waited for long enough to be promoted in the pool (O7).
  boolean isPromoted(Job job, Pool pool) {
    return pool.promoteAfter()
            .filter(after -> !job.waitingSince().plus(after).isAfter(rules.now))
            .isPresent()
        && rules.shadow.attempt(job.id()).isEmpty();
  }

  /// The pools in which the job is promoted.
  Set<PoolId> promotedIn(Job job) {
    return rules.queue(job.spec().queue()).isEmpty() ? Set.of() : promotedInRoutes(job);
  }

  private Set<PoolId> promotedInRoutes(Job job) {
    return routesOrNone(job).stream()
        .filter(pool -> isPromoted(job, pool))
        .map(Pool::id)
        .collect(Collectors.toSet());
  }

  private List<Pool> routesOrNone(Job job) {
    Queue queue = rules.queue(job);
    return rules.shadow.profile(queue.profile()).isEmpty() ? List.of() : rules.routes(job);
  }

  /// Whether the first of two jobs of a queue has its turn before the second. If they fit nowhere,
  /// promotion in any pool counts.
  boolean isAheadInQueue(Job first, Job second) {
    return isAheadInQueue(first, promotes(first), second, promotes(second));
  }

  private boolean promotes(Job job) {
    return rules
        .firstPool(job)
        .map(pool -> isPromoted(job, pool))
        .orElseGet(() -> !promotedIn(job).isEmpty());
  }

  private boolean isAheadInQueue(Job first, boolean promoted, Job second, boolean otherPromoted) {
    boolean samePriority = first.spec().priority() == second.spec().priority();
    return promoted != otherPromoted && (samePriority || !rules.preemptsWithin(first))
        ? promoted
        : isAhead(first, second);
  }

  /// Whether the turn of the first job in its pool is before that of the second in its own (O1-O5);
  /// of one queue each is the first that may start.
  boolean isBefore(Job first, Pool itsPool, Job second, Pool other) {
    boolean promoted = isPromoted(first, itsPool);
    boolean otherPromoted = isPromoted(second, other);
    if (rules.queue(first).equals(rules.queue(second))) {
      return isAheadInQueue(first, promoted, second, otherPromoted);
    }
    if (promoted != otherPromoted && rules.standing(first) == rules.standing(second)) {
      return promoted;
    }
    return isBefore(first, itsPool, second, other, promoted);
  }

  /// As [#isBefore], without promotion.
  boolean isBeforeUnpromoted(Job first, Pool itsPool, Job second, Pool other) {
    return rules.queue(first).equals(rules.queue(second))
        ? isAhead(first, second)
        : isBefore(first, itsPool, second, other, false);
  }

  /// @param equal whether both count as first by O2 and O3
  private boolean isBefore(Job first, Pool itsPool, Job second, Pool other, boolean equal) {
    Queue one = rules.queue(first);
    Queue two = rules.queue(second);
    if (rules.standing(first) != rules.standing(second)) {
      return rules.standing(first).compareTo(rules.standing(second)) < 0;
    }
    int position = position(itsPool, first);
    int others = position(other, second);
    if (position != others && !equal) {
      return position < others;
    }
    if (one.rank() != two.rank() && !equal) {
      return one.rank() < two.rank();
    }
    int share = compare(shares(first, itsPool), shares(second, other));
    return share == 0 ? isAhead(first, second) : share < 0;
  }

  /// O5.
  boolean isAhead(Job first, Job second) {
    int priority = Integer.compare(second.spec().priority(), first.spec().priority());
    return priority == 0 ? first.sequence() < second.sequence() : priority < 0;
  }

  /// Where it fits first; where it fits nowhere, the pool where its turn comes first.
  Pool placeOf(Job job) {
    return rules
        .firstPool(job)
        .orElseGet(() ->
            rules.routes(job).stream()
                .min(
                    Comparator.comparingInt(
                            (Pool pool) -> isPromoted(job, pool) ? -1 : position(pool, job))
                        .thenComparing(pool -> shares(job, pool), TurnRules::compare))
                .orElseThrow());
  }

  int position(Pool pool, Job job) {
    return position(pool, rules.profile(job).id());
  }

  int position(Pool pool, ProfileId profile) {
    int index = pool.order().indexOf(profile);
    return index < 0 ? pool.order().size() : index;
  }

  private List<Double> shares(Job job, Pool pool) {
    boolean entitled = rules.standing(job) == Standing.ENTITLED;
    List<Double> shares = shares(rules.queue(job).policy(), pool, entitled, Set.of());
    return entitled && rules.need(job) == 0 ? Collections.nCopies(shares.size(), 0.0) : shares;
  }

  /// O4, from the highest department to the policy, as they stand without the removed attempts.
  List<Double> shares(PolicyId policy, Pool pool, boolean entitled, Set<AttemptId> removed) {
    return shares(policy, level -> past(pool, level), entitled, removed);
  }

  /// O4 without past use.
  List<Double> presentShares(PolicyId policy, boolean entitled) {
    return shares(policy, level -> 0, entitled, Set.of());
  }

  private List<Double> shares(
      PolicyId policy, ToDoubleFunction<Record> past, boolean entitled, Set<AttemptId> removed) {
    List<Double> shares = new ArrayList<>();
    for (Department each : rules.departments.above(policy).reversed()) {
      double usage = rules.standing(each, removed);
      double reservation = rules.departments.reservation(each);
      shares.add(
          entitled
              ? share(usage, reservation)
              : shareOver(usage - reservation, past.applyAsDouble(each.id()), each.weight()));
    }
    double usage = rules.standing(policy, removed);
    int weight = rules.shadow.policy(policy).map(Policy::weight).orElse(1);
    shares.add(
        entitled
            ? share(usage, rules.reservation(policy))
            : shareOver(usage - rules.reservation(policy), past.applyAsDouble(policy), weight));
    return shares;
  }

  private double past(Pool pool, Record level) {
    return rules.shadow.pastUse(pool, level, rules.now);
  }

  private static double share(double usage, double reservation) {
    return reservation == 0 ? 0 : usage / reservation;
  }

  private static double shareOver(double over, double past, int weight) {
    return (Math.max(0, over) + (double) Math.round(past / weight) * weight) / weight;
  }

  /// At the first shares that differ the smaller is first; a list that ends first is first.
  static int compare(List<Double> shares, List<Double> others) {
    return Arrays.compare(shares.toArray(new Double[0]), others.toArray(new Double[0]));
  }
}
