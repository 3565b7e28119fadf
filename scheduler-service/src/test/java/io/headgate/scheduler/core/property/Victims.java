package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.property.Reference.Standing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

/// Which attempts must go (P1-P4, P7, P9, P10): all in their order, one after the other.
final class Victims {
  /// Sets of up to this many attempts are tried, one by one.
  private static final int MAX_ON_NODE = 7;

  private final Reference rules;
  private final Shadow shadow;

  Victims(Reference rules) {
    this.rules = rules;
    this.shadow = rules.shadow;
  }

  /// A way to make room.
  ///
  /// @param rule over jobs of other policies; P9: none
  /// @param within whether jobs of the own policy may go, too (P9)
  record Right(PreemptionRule rule, boolean within) {
    static final Right WITHIN = new Right(PreemptionRule.P9, true);

    boolean allows(PreemptionRule one) {
      return rule == one || (within && one == PreemptionRule.P9);
    }
  }

  /// The rights by which the job may make room now, the first to be tried first.
  List<Right> rightsFor(Job job) {
    return mustWaitToPreempt(job) ? List.of() : rightsOnceItHasWaited(job);
  }

  /// Whether the job does not preempt yet, and will be able to.
  boolean waitsToPreempt(Job job) {
    return mustWaitToPreempt(job) && !rightsOnceItHasWaited(job).isEmpty();
  }

  /// As [#rightsFor], however long it has waited.
  private List<Right> rightsOnceItHasWaited(Job job) {
    List<Right> found = new ArrayList<>();
    boolean isFree = !shadow.barred.containsKey(job.id());
    String refusal = rules.refusal(job).orElse("");
    if (rules.headroomHolder(job).isPresent()) {
      return found;
    }
    boolean isEntitled = rules.isPolicyEntitled(job);
    PolicyId policy = rules.queue(job).policy();
    boolean isWithinLimit =
        isEntitled || rules.charged(policy) + rules.need(job) <= rules.limit(policy);
    // Where only what long-blocked jobs hold fills a limit, it waits for them.
    String besides = rules.refusalBesidesLimits(job).orElse("");
    boolean isOpenOnceEntitled =
        besides.isEmpty()
            || (besides.equals("OVER_RESERVATION_DENIED")
                && rules.need(job) > 0
                && isEntitled
                && rules.preemptible(job));
    boolean makesRoomInDepartments =
        refusal.equals("DEPARTMENT_LIMIT") && rules.isAboveDepartmentLimitBesideBlocked(job);
    boolean makesRoomInLimit = refusal.equals("LIMIT") && rules.isAboveLimitBesideBlocked(job);
    boolean within =
        isFree
            && rules.need(job) > 0
            && besides.isEmpty()
            && rules.preemptsWithin(job)
            && ((refusal.isEmpty() && isWithinLimit) || makesRoomInLimit || makesRoomInDepartments);
    boolean isEntitledNow =
        isEntitled
            && isOpenOnceEntitled
            && (refusal.isEmpty()
                || makesRoomInDepartments
                || refusal.equals("OVER_RESERVATION_DENIED"));
    if (isEntitledNow) {
      found.add(new Right(PreemptionRule.P1, within));
    }
    Reclaim reclaim = rules.profile(job).reclaim();
    boolean mayOutrank = reclaim == Reclaim.RANK || reclaim == Reclaim.FAIR;
    boolean mayNow = refusal.isEmpty() || (makesRoomInDepartments && isOpenOnceEntitled);
    if (mayOutrank
        && isFree
        && rules.queue(job).overReservation()
        && ((isWithinLimit && mayNow) || within)
        && !rules.isEntitled(job)) {
      found.add(
          new Right(reclaim == Reclaim.RANK ? PreemptionRule.P7 : PreemptionRule.P10, within));
    }
    boolean mayBecomeEntitled = rules.need(job) <= rules.reservation(policy);
    if (within && !isEntitledNow && mayBecomeEntitled) {
      found.add(new Right(PreemptionRule.P1, true));
    } else if (within && !isEntitledNow && !mayOutrank) {
      found.add(Right.WITHIN);
    }
    return found;
  }

  /// Whether it has not waited for the `preemptAfter` of its policy yet.
  private boolean mustWaitToPreempt(Job job) {
    return job.waitingSince().plus(rules.policy(job).preemptAfter()).isAfter(rules.now);
  }

  double lostWork(Attempt attempt) {
    Instant from = attempt.checkpointAt().or(attempt::startedAt).orElse(rules.now);
    Instant to = Shadow.isKept(attempt) ? attempt.stop().orElseThrow().at() : rules.now;
    return from.isBefore(to)
        ? (double) attempt.assignment().units() * Duration.between(from, to).toMillis()
        : 0;
  }

  private boolean isProtected(Attempt attempt) {
    Duration least = shadow.policy(attempt.policy()).map(Policy::minRuntime).orElse(Duration.ZERO);
    return attempt.startedAt().orElse(attempt.assignedAt()).plus(least).isAfter(rules.now)
        && !least.isZero();
  }

  private boolean isPreemptible(Attempt attempt) {
    return attempt.preemptible()
        && attempt.stop().isEmpty()
        && attempt.assignment().units() > 0
        && !shadow.fresh.contains(attempt.id())
        && !isProtected(attempt);
  }

  /// A suspended attempt makes room by the memory that it keeps. Rights play no part, because it
  /// has no GPU.
  private boolean mayEnd(Attempt suspended, Job job, PreemptionRule rule) {
    return isWhereWorkIsTaken(suspended)
        && !isDedicated(suspended)
        && switch (rule) {
          case P1 -> isOtherPolicys(suspended, job) || isAfter(suspended, job);
          case P7 -> isOtherPolicys(suspended, job) && isWorseRanked(suspended, job);
          case P9, P10, P11 -> false;
        };
  }

  /// Whether it would resume, in its pool, only after the job has had its turn there.
  private boolean isAfter(Attempt suspended, Job job) {
    Pool pool = shadow.pool(suspended.assignment().pool()).orElseThrow();
    return rules.turns.isBeforeUnpromoted(job, pool, rules.job(suspended), pool);
  }

  private boolean isOtherPolicys(Attempt attempt, Job job) {
    return !attempt.policy().equals(rules.queue(job).policy());
  }

  /// The rule by which the attempt goes.
  PreemptionRule ruleOf(Attempt attempt, Job job, Right right) {
    return isOwn(attempt, job, right) ? PreemptionRule.P9 : right.rule();
  }

  private boolean isOwn(Attempt attempt, Job job, Right right) {
    return right.within() && !isOtherPolicys(attempt, job) && !Shadow.isKept(attempt);
  }

  /// Whether the attempt may go for the job just now.
  boolean mayGo(Attempt attempt, Job job, Right right, Set<AttemptId> removed) {
    if (Shadow.isKept(attempt)) {
      return mayEnd(attempt, job, right.rule());
    }
    if (!isPreemptible(attempt)) {
      return false;
    }
    PolicyId own = rules.queue(job).policy();
    if (attempt.policy().equals(own)) {
      return right.within()
          && rules.job(attempt).spec().priority() < job.spec().priority()
          && !comesBefore(attempt, job);
    }
    return switch (right.rule()) {
      case P9 -> false;
      case P7 ->
          isWorseRanked(attempt, job) && mayLose(attempt, List.of(), Reclaim.STRICT, removed);
      case P10 ->
          !comesBefore(attempt, job)
              && mayLose(attempt, List.of(), Reclaim.STRICT, removed)
              && isShareLarger(attempt, job)
              && isShareKept(attempt, job, removed, attempt.assignment().units());
      case P11 -> false; // Moves are no victims: see ConsolidationCheck.
      case P1 ->
          mayLose(
              attempt,
              rules.departments.upToUnit(attempt.policy(), own),
              rules.profile(job).reclaim(),
              removed);
    };
  }

  /// P10, as things stand.
  boolean isShareLarger(Attempt attempt, Job job) {
    return compareShares(attempt, job, Set.of(), 0, 0) > 0;
  }

  /// P10, after the exchange.
  ///
  /// @param units that the attempt's policy loses besides
  private boolean isShareKept(Attempt attempt, Job job, Set<AttemptId> removed, long units) {
    return compareShares(attempt, job, removed, units, rules.need(job)) >= 0;
  }

  /// At the highest level at which the units of the two jobs differ.
  private int compareShares(
      Attempt attempt, Job job, Set<AttemptId> removed, long units, long need) {
    PolicyId own = rules.queue(job).policy();
    PolicyId other = attempt.policy();
    return Long.compare(
        overOfUnit(other, own, removed, -units) * weightOfUnit(own, other),
        overOfUnit(own, other, removed, need) * weightOfUnit(other, own));
  }

  private long overOfUnit(PolicyId of, PolicyId beside, Set<AttemptId> removed, long more) {
    List<Department> up = rules.departments.upToUnit(of, beside);
    long usage = up.isEmpty() ? rules.standing(of, removed) : rules.standing(up.getLast(), removed);
    long reservation =
        up.isEmpty() ? rules.reservation(of) : rules.departments.reservation(up.getLast());
    return Math.max(0, usage + more - reservation);
  }

  private long weightOfUnit(PolicyId of, PolicyId beside) {
    List<Department> up = rules.departments.upToUnit(of, beside);
    return up.isEmpty() ? shadow.policy(of).map(Policy::weight).orElse(1) : up.getLast().weight();
  }

  /// By O2, then O3, in the attempt's pool.
  private boolean comesBefore(Attempt attempt, Job job) {
    Pool pool = shadow.pool(attempt.assignment().pool()).orElse(null);
    int mine = pool == null ? 0 : rules.turns.position(pool, rules.profile(job).id());
    int theirs = position(attempt);
    return theirs < mine || (theirs == mine && rank(attempt) < rules.queue(job).rank());
  }

  /// Whether any entitled job of another policy might take it as things stand now.
  boolean isAtDisposal(Attempt attempt) {
    return isPreemptible(attempt)
        && !isDedicated(attempt)
        && isWhereWorkIsTaken(attempt)
        && (over(attempt.policy(), Set.of()) > 0
            || rules.departments.above(attempt.policy()).stream()
                .anyMatch(each -> exceeds(each, Set.of())));
  }

  private long over(PolicyId policy, Set<AttemptId> removed) {
    return rules.standing(policy, removed) - rules.reservation(policy);
  }

  private boolean exceeds(Department department, Set<AttemptId> removed) {
    return rules.protectedUsage(department, removed) > rules.departments.reservation(department);
  }

  /// P2: the unit is above its reservation, and the attempt is not entitled up to it.
  ///
  /// @param up the departments up to the unit; none: the policy is the unit
  private boolean mayLose(
      Attempt attempt, List<Department> up, Reclaim reclaim, Set<AttemptId> removed) {
    if (isDedicated(attempt) || !isWhereWorkIsTaken(attempt)) {
      return false;
    }
    long ofPolicy = over(attempt.policy(), removed);
    long ofUnit =
        up.isEmpty()
            ? ofPolicy
            : rules.standing(up.getLast(), removed) - rules.departments.reservation(up.getLast());
    if (reclaim == Reclaim.STRICT) {
      return Math.min(ofPolicy, ofUnit) >= attempt.assignment().units();
    }
    return ofUnit > 0 && (ofPolicy > 0 || up.stream().anyMatch(each -> exceeds(each, removed)));
  }

  private boolean isDedicated(Attempt attempt) {
    return shadow
        .pool(attempt.assignment().pool())
        .map(pool -> pool.dedicatedTo().isPresent())
        .orElse(false);
  }

  private boolean isWhereWorkIsTaken(Attempt attempt) {
    return attempt.assignment().workers().stream()
        .map(place -> shadow.nodes.get(place.node()))
        .anyMatch(node -> node != null && shadow.takesWork(node));
  }

  private boolean isWorseRanked(Attempt attempt, Job job) {
    Pool pool = shadow.pool(attempt.assignment().pool()).orElse(null);
    if (pool == null) {
      return false;
    }
    int theirs = rules.turns.position(pool, attempt.profile());
    int mine = rules.turns.position(pool, rules.profile(job).id());
    return theirs > mine || (theirs == mine && rank(attempt) > rules.queue(job).rank());
  }

  private int position(Attempt attempt) {
    return shadow
        .pool(attempt.assignment().pool())
        .map(pool -> rules.turns.position(pool, attempt.profile()))
        .orElse(0);
  }

  private int rank(Attempt attempt) {
    return rules
        .queue(rules.job(attempt).spec().queue())
        .map(Queue::rank)
        .orElse(Integer.MAX_VALUE);
  }

  /// O1, as the levels stand without the removed attempts.
  private Standing standing(PolicyId policy, Set<AttemptId> removed) {
    List<Department> above = rules.departments.above(policy);
    if (over(policy, removed) <= 0 && above.stream().noneMatch(each -> exceeds(each, removed))) {
      return Standing.ENTITLED;
    }
    boolean isAboveLimit =
        rules.standing(policy, removed) > rules.limit(policy)
            || above.stream()
                .anyMatch(each -> rules.standing(each, removed) > rules.departments.limit(each));
    if (isAboveLimit) {
      return Standing.ABOVE_LIMIT;
    }
    return above.stream()
            .anyMatch(each -> rules.standing(each, removed) <= rules.departments.reservation(each))
        ? Standing.LENT
        : Standing.OVER_RESERVATION;
  }

  private List<Double> shares(Attempt attempt, Set<AttemptId> removed) {
    Pool pool =
        rules.shadow.pool(attempt.assignment().pool()).orElse(Pool.of(attempt.assignment().pool()));
    PolicyId policy = attempt.policy();
    return rules.turns.shares(
        policy, pool, standing(policy, removed) == Standing.ENTITLED, removed);
  }

  private int priority(Attempt attempt) {
    return rules.job(attempt).spec().priority();
  }

  /// Whether the job fits without exactly these, also in its limits, and may take their places
  /// together: by P1 it must be entitled then, P9 binds the usage of its policy, P10 the shares.
  boolean makesRoom(Job job, Right right, Set<AttemptId> removed) {
    PolicyId policy = rules.queue(job).policy();
    long usage = rules.standing(policy, Set.of());
    long after = rules.standing(policy, removed) + rules.need(job);
    if (right.within()
        && (after > rules.limit(policy)
            || (after < usage + rules.need(job)
                && after > Math.max(usage, rules.reservation(policy))))) {
      return false;
    }
    List<Attempt> others = new ArrayList<>();
    for (AttemptId id : removed) {
      Attempt attempt = shadow.attempts.get(id);
      if (!isOwn(attempt, job, right)) {
        others.add(attempt);
      }
    }
    if (right.rule() == PreemptionRule.P1
        && (!right.within() || !others.isEmpty())
        && !rules.isEntitledWithout(job, removed)) {
      return false;
    }
    if (right.rule() == PreemptionRule.P10
        && !others.stream()
            .allMatch(each -> isShareLarger(each, job) && isShareKept(each, job, removed, 0))) {
      return false;
    }
    for (Department each : rules.departmentsOf(job)) {
      long left = rules.standing(each, removed) + rules.heldForBlocked(each);
      if (rules.need(job) > 0 && left + rules.need(job) > rules.departments.limit(each)) {
        return false;
      }
    }
    return rules.fitsWithout(job, removed);
  }

  /// As [#makesRoom]; or those of the own policy alone make room, or the others.
  private boolean someMakeRoom(Job job, Right right, Set<AttemptId> removed) {
    if (makesRoom(job, right, removed)) {
      return true;
    }
    if (!right.within() || removed.isEmpty()) {
      return false;
    }
    for (Pool pool : rules.routes(job)) {
      Set<AttemptId> own = new HashSet<>();
      Set<AttemptId> others = new HashSet<>();
      for (AttemptId id : removed) {
        Attempt attempt = shadow.attempts.get(id);
        if (isOwn(attempt, job, right)) {
          own.add(id);
        } else if (attempt.assignment().pool().equals(pool.id())
            || !rules.departmentsOf(job).isEmpty()) {
          others.add(id);
        }
      }
      Set<AttemptId> all = new HashSet<>(own);
      all.addAll(others);
      for (Set<AttemptId> part : List.of(all, own, others)) {
        if (makesRoom(job, right, part) && rules.fitsWithout(pool, job, part)) {
          return true;
        }
      }
    }
    return false;
  }

  /// The victims of the shortest prefix of the reversed order after which the job fits; empty when
  /// it never does.
  ///
  /// @param oversized the standings whose oversized attempts are not passed over
  Optional<List<Attempt>> prefix(Job job, Right right, Set<Standing> oversized) {
    List<Attempt> possible = new ArrayList<>();
    for (Attempt attempt : inReach(job, right)) {
      if ((isPreemptible(attempt) || Shadow.isKept(attempt))
          && (!isOversized(attempt, job) || oversized.contains(standing(attempt)))) {
        possible.add(attempt);
      }
    }
    List<Attempt> prefix = new ArrayList<>();
    Set<AttemptId> removed = new HashSet<>();
    while (!someMakeRoom(job, right, removed)) {
      Optional<Attempt> worst =
          possible.stream()
              .filter(a -> !removed.contains(a.id()))
              .filter(a -> mayGo(a, job, right, removed))
              .max(across(removed));
      if (worst.isEmpty()) {
        return Optional.empty();
      }
      prefix.add(worst.get());
      removed.add(worst.get().id());
    }
    return Optional.of(prefix);
  }

  /// The attempts in the pools of the job's profile (P4). Elsewhere a victim of the own policy
  /// helps: it makes room in the policy's limit.
  private List<Attempt> inReach(Job job, Right right) {
    List<PoolId> pools = rules.routes(job).stream().map(Pool::id).toList();
    return shadow.attempts.values().stream()
        .filter(each -> isOwn(each, job, right) || pools.contains(each.assignment().pool()))
        .toList();
  }

  /// Whether it is passed over as long as others of its standing suffice (P4).
  boolean isOversized(Attempt attempt, Job job) {
    return !Shadow.isKept(attempt) && attempt.assignment().units() > 4 * rules.need(job);
  }

  /// As things stand.
  Standing standing(Attempt attempt) {
    return standing(attempt.policy(), Set.of());
  }

  /// The first to go first, as things stand.
  List<Attempt> inOrder(Collection<Attempt> attempts) {
    return attempts.stream().sorted(across(Set.of()).reversed()).toList();
  }

  /// Victims of some stage that make room; empty: there are none.
  Optional<Collection<Attempt>> some(Job job, Right right) {
    Optional<Collection<Attempt>> inOrder =
        prefix(job, right, EnumSet.noneOf(Standing.class))
            .or(() -> prefix(job, right, EnumSet.allOf(Standing.class)))
            .map(Function.identity());
    return inOrder.isPresent() || rules.profile(job).workers() > 1
        ? inOrder
        : permittedOnOneNode(job, right, any -> true)
            .map(ids -> ids.stream().map(shadow.attempts::get).toList());
  }

  /// A set of one node's attempts that is permitted, in some order, and makes room for the job.
  /// Tries all sets on all nodes with at most [#MAX_ON_NODE] candidates.
  ///
  /// @param candidates which attempts may be among them
  Optional<Set<AttemptId>> permittedOnOneNode(Job job, Right right, Predicate<Attempt> candidates) {
    Map<NodeId, List<Attempt>> byNode = new TreeMap<>();
    for (Attempt attempt : inReach(job, right)) {
      if (candidates.test(attempt) && mayGo(attempt, job, right, Set.of())) {
        attempt.assignment().workers().stream()
            .map(WorkerPlace::node)
            .distinct()
            .forEach(node -> byNode.computeIfAbsent(node, key -> new ArrayList<>()).add(attempt));
      }
    }
    for (List<Attempt> onNode : byNode.values()) {
      if (onNode.size() > MAX_ON_NODE || !rules.fitsWithout(job, ids(onNode))) {
        continue;
      }
      for (int mask = 1; mask < 1 << onNode.size(); mask++) {
        List<Attempt> some = new ArrayList<>();
        for (int i = 0; i < onNode.size(); i++) {
          if ((mask & 1 << i) != 0) {
            some.add(onNode.get(i));
          }
        }
        if (mayGoInSomeOrder(some, job, right, new HashSet<>())
            && makesRoom(job, right, ids(some))) {
          return Optional.of(ids(some));
        }
      }
    }
    return Optional.empty();
  }

  private static Set<AttemptId> ids(List<Attempt> attempts) {
    Set<AttemptId> ids = new HashSet<>();
    attempts.forEach(attempt -> ids.add(attempt.id()));
    return ids;
  }

  private boolean mayGoInSomeOrder(
      List<Attempt> victims, Job job, Right right, Set<AttemptId> removed) {
    if (removed.size() == victims.size()) {
      return true;
    }
    for (Attempt victim : victims) {
      if (!removed.contains(victim.id()) && mayGo(victim, job, right, removed)) {
        removed.add(victim.id());
        boolean all = mayGoInSomeOrder(victims, job, right, removed);
        removed.remove(victim.id());
        if (all) {
          return true;
        }
      }
    }
    return false;
  }

  private Comparator<Attempt> across(Set<AttemptId> removed) {
    return Comparator.comparing(Shadow::isKept)
        .thenComparing(a -> standing(a.policy(), removed))
        .thenComparingInt(this::position)
        .thenComparingInt(this::rank)
        .thenComparing(a -> shares(a, removed), TurnRules::compare)
        .thenComparingInt(a -> -priority(a))
        .thenComparingLong(Attempt::sequence);
  }
}
