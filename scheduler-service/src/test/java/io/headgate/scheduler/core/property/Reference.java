package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.catalog.Department;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.PreemptWithin;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.property.Space.Without;
import io.headgate.type.GpuQuantity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The rules (A1 to P9) a second time: slow, from the text, without index, cache or increment, over
/// the records of a [Shadow]. It never changes; the shadow must not either while it is used.
final class Reference {
  /// Where a job would stand by its policy and departments (O1, A2); the better first.
  enum Standing {
    ENTITLED,
    LENT,
    OVER_RESERVATION,
    ABOVE_LIMIT
  }

  final Shadow shadow;
  final Instant now;
  final Space space;
  private final Set<JobId> ignored;
  final DepartmentRules departments;
  private HeadroomRules headroom;
  final TurnRules turns = new TurnRules(this);
  private final Map<PolicyId, Long> live = new HashMap<>();
  private final Map<PolicyId, Long> stopping = new HashMap<>();
  private final Map<PolicyId, Long> held = new HashMap<>();
  private final Map<PolicyId, Long> heldForVictims = new HashMap<>();
  private final Map<PolicyId, Long> charged = new HashMap<>();
  private final Map<PolicyId, Long> chargedBesideBlocked = new HashMap<>();
  private final Map<PolicyId, Long> standing = new HashMap<>();

  Reference(Shadow shadow, Instant now) {
    this(shadow, now, Set.of());
  }

  /// @param ignored jobs whose holds are treated as absent
  Reference(Shadow shadow, Instant now, Set<JobId> ignored) {
    this.shadow = shadow;
    this.now = now;
    this.ignored = Set.copyOf(ignored);
    this.space = new Space(shadow, ignored);
    this.departments = new DepartmentRules(shadow.catalog);
    for (Attempt attempt : shadow.attempts.values()) {
      Map<PolicyId, Long> kind = attempt.stop().isEmpty() ? live : stopping;
      kind.merge(attempt.policy(), Shadow.units(attempt), Long::sum);
    }
    standing.putAll(live);
    for (Hold hold : holdsAndReturning()) {
      held.merge(policyOf(hold), hold.place().units(), Long::sum);
      if (!hold.isForBlocked()) {
        standing.merge(policyOf(hold), hold.place().units(), Long::sum);
        heldForVictims.merge(policyOf(hold), hold.place().units(), Long::sum);
      }
    }
    for (Policy policy : shadow.catalog.policies()) {
      PolicyId id = policy.id();
      long more = Math.max(stopping.getOrDefault(id, 0L), held.getOrDefault(id, 0L));
      charged.put(id, live.getOrDefault(id, 0L) + more);
      more = Math.max(stopping.getOrDefault(id, 0L), heldForVictims.getOrDefault(id, 0L));
      chargedBesideBlocked.put(id, live.getOrDefault(id, 0L) + more);
    }
  }

  List<Hold> holds() {
    List<Hold> holds = new ArrayList<>(shadow.holds.values());
    holds.removeIf(hold -> ignored.contains(hold.job()));
    return holds;
  }

  /// All holds, and the places kept for jobs whose attempts stop because a worker was lost (O5).
  private List<Hold> holdsAndReturning() {
    List<Hold> places = holds();
    for (Hold place : shadow.returning.values()) {
      if (!ignored.contains(place.job())) {
        places.add(place);
      }
    }
    return places;
  }

  // --- What is configured.

  Optional<Queue> queue(QueueId id) {
    return shadow.queue(id);
  }

  Queue queue(Job job) {
    return shadow.queue(job.spec().queue()).orElseThrow();
  }

  Profile profile(Job job) {
    return shadow.profile(queue(job).profile()).orElseThrow();
  }

  Policy policy(Job job) {
    return shadow.policy(queue(job).policy()).orElseThrow();
  }

  long need(Job job) {
    return profile(job).need().units();
  }

  Job job(Attempt attempt) {
    return shadow.jobs.get(attempt.id().job());
  }

  long reservation(PolicyId id) {
    return shadow.policy(id).map(p -> p.reservation().units()).orElse(0L);
  }

  long limit(PolicyId id) {
    return shadow.policy(id).map(p -> p.limit().units()).orElse(0L);
  }

  List<Pool> routes(Job job) {
    return routes(queue(job), profile(job));
  }

  private List<Pool> routes(Queue queue, Profile profile) {
    List<Pool> routes = new ArrayList<>();
    for (PoolId id : profile.pools()) {
      shadow
          .pool(id)
          .filter(p -> p.dedicatedTo().map(queue.policy()::equals).orElse(true))
          .filter(p -> !routes.contains(p))
          .ifPresent(routes::add);
    }
    return routes;
  }

  boolean preemptible(Job job) {
    return job.spec()
        .preemptible()
        .orElseGet(() -> shadow.policy(queue(job).policy()).map(Policy::preemptible).orElse(true));
  }

  /// Whether its user has the grant of A2.
  boolean mayExceedLimit(Job job) {
    return policy(job).exceedLimit().contains(job.spec().user());
  }

  // --- What is used.

  PolicyId policyOf(Hold hold) {
    return queue(shadow.jobs.get(hold.job())).policy();
  }

  long charged(PolicyId policy) {
    return charged.getOrDefault(policy, 0L);
  }

  /// Whether the job would be above its policy's limit even without what is held under O7.
  boolean isAboveLimitBesideBlocked(Job job) {
    PolicyId policy = queue(job).policy();
    return chargedBesideBlocked.getOrDefault(policy, 0L) + need(job) > limit(policy);
  }

  /// Units of the policy's attempts, without holds.
  long used(PolicyId policy) {
    long units = 0;
    for (Attempt attempt : shadow.attempts.values()) {
      units += attempt.policy().equals(policy) ? Shadow.units(attempt) : 0;
    }
    return units;
  }

  long standing(PolicyId policy, Set<AttemptId> removed) {
    long units = standing.getOrDefault(policy, 0L);
    for (AttemptId id : removed) {
      Attempt attempt = shadow.attempts.get(id);
      if (attempt != null && attempt.policy().equals(policy) && attempt.stop().isEmpty()) {
        units -= attempt.assignment().units();
      }
    }
    return units;
  }

  /// Usage of the policies below the department.
  long standing(Department department, Set<AttemptId> removed) {
    return departments.sum(department, policy -> standing(policy, removed));
  }

  /// The part of it that the policies' reservations protect.
  long protectedUsage(Department department, Set<AttemptId> removed) {
    return departments.sum(
        department, policy -> Math.min(standing(policy, removed), reservation(policy)));
  }

  long charged(Department department) {
    return charged(department, held);
  }

  /// Without what is held under O7.
  long chargedBesideBlocked(Department department) {
    return charged(department, heldForVictims);
  }

  private long charged(Department department, Map<PolicyId, Long> holds) {
    return departments.sum(department, policy -> live.getOrDefault(policy, 0L))
        + Math.max(
            departments.sum(department, policy -> stopping.getOrDefault(policy, 0L)),
            departments.sum(department, policy -> holds.getOrDefault(policy, 0L)));
  }

  /// The units that are held under O7.
  long heldForBlocked(Department department) {
    return departments.sum(
        department,
        policy -> held.getOrDefault(policy, 0L) - heldForVictims.getOrDefault(policy, 0L));
  }

  long used(Department department) {
    return departments.sum(department, this::used);
  }

  long nonPreemptible(Department department) {
    return departments.sum(department, this::nonPreemptible);
  }

  /// Units of the attempts of a user's jobs, without holds.
  long usedByUser(PolicyId policy, UserId user) {
    long units = 0;
    for (Attempt attempt : shadow.attempts.values()) {
      boolean own = job(attempt).spec().user().equals(user);
      units += own && attempt.policy().equals(policy) ? Shadow.units(attempt) : 0;
    }
    return units;
  }

  long chargedByUser(PolicyId policy, UserId user) {
    long units = usedByUser(policy, user);
    for (Hold hold : holds()) {
      // A job that moves counts once, by its attempt.
      boolean own =
          shadow.jobs.get(hold.job()).spec().user().equals(user)
              && shadow.attempt(hold.job()).isEmpty();
      units += own && policyOf(hold).equals(policy) ? hold.place().units() : 0;
    }
    return units;
  }

  long nonPreemptible(PolicyId policy) {
    long units = 0;
    for (Attempt attempt : shadow.attempts.values()) {
      boolean counts = attempt.policy().equals(policy) && !attempt.preemptible();
      units += counts ? Shadow.units(attempt) : 0;
    }
    for (Hold hold : holds()) {
      boolean counts = policyOf(hold).equals(policy) && !preemptible(shadow.jobs.get(hold.job()));
      units += counts ? hold.place().units() : 0;
    }
    return units;
  }

  // --- Rights.

  /// The first right that stands in the way, as [io.headgate.scheduler.core.explain.Reason] codes
  /// it; empty: none.
  Optional<String> refusal(Job job) {
    return structural(job)
        .or(() -> limit(job))
        .or(() -> otherRights(job))
        .or(() -> headroomHolder(job).map(holder -> "HEADROOM"));
  }

  /// The job that holds the headroom that this one would use (O7).
  Optional<Job> headroomHolder(Job job) {
    headroom = headroom == null ? new HeadroomRules(this) : headroom;
    return headroom.holderBefore(job);
  }

  /// As if nothing were held for these jobs.
  Reference without(Set<JobId> jobs) {
    Set<JobId> more = new HashSet<>(ignored);
    more.addAll(jobs);
    return new Reference(shadow, now, more);
  }

  /// As [#refusal], of a job that makes its own room in the policy's limit (P9).
  Optional<String> refusalBesidesLimit(Job job) {
    return structural(job).or(() -> otherRights(job));
  }

  /// As [#refusal], of a job that makes its own room in the limits of its departments, too.
  Optional<String> refusalBesidesLimits(Job job) {
    return structural(job).or(() -> userLimit(job)).or(() -> rightsBesidesLimits(job));
  }

  /// The lowest department whose limit leaves no room for the job.
  Optional<Department> fullDepartment(Job job) {
    return departmentsOf(job).stream()
        .filter(each -> need(job) > 0 && charged(each) + need(job) > departments.limit(each))
        .findFirst();
  }

  /// Whether a department's limit would leave no room even without what is held under O7.
  boolean isAboveDepartmentLimitBesideBlocked(Job job) {
    return departmentsOf(job).stream()
        .anyMatch(each ->
            need(job) > 0 && chargedBesideBlocked(each) + need(job) > departments.limit(each));
  }

  List<Department> departmentsOf(Job job) {
    return departments.above(queue(job).policy());
  }

  /// The first obstacle that no end of a job removes.
  Optional<String> structural(Job job) {
    return StructuralRules.of(job, this);
  }

  private Optional<String> limit(Job job) {
    Policy policy = policy(job);
    return charged(policy.id()) + need(job) > policy.limit().units() && !mayExceedLimit(job)
        ? Optional.of("LIMIT")
        : Optional.empty();
  }

  private Optional<String> otherRights(Job job) {
    return userLimit(job)
        .or(() -> fullDepartment(job).map(full -> "DEPARTMENT_LIMIT"))
        .or(() -> rightsBesidesLimits(job));
  }

  private Optional<String> userLimit(Job job) {
    Policy policy = policy(job);
    return policy.perUserLimit().isPresent()
            && chargedByUser(policy.id(), job.spec().user()) + need(job)
                > policy.perUserLimit().get().units()
        ? Optional.of("USER_LIMIT")
        : Optional.empty();
  }

  private Optional<String> rightsBesidesLimits(Job job) {
    Policy policy = policy(job);
    long need = need(job);
    if (!queue(job).overReservation() && !isEntitled(job)) {
      return Optional.of("OVER_RESERVATION_DENIED");
    }
    if (!preemptible(job)
        && (nonPreemptible(policy.id()) + need > policy.reservation().units()
            || departmentsOf(job).stream()
                .anyMatch(each ->
                    need > 0 && nonPreemptible(each) + need > departments.reservation(each)))) {
      return Optional.of("NON_PREEMPTIBLE");
    }
    return Optional.empty();
  }

  boolean isPolicyEntitled(Job job) {
    PolicyId policy = queue(job).policy();
    return standing(policy, Set.of()) + need(job) <= reservation(policy);
  }

  /// At all levels.
  boolean isEntitled(Job job) {
    return isEntitledWithout(job, Set.of());
  }

  boolean isEntitledWithout(Job job, Set<AttemptId> removed) {
    PolicyId policy = queue(job).policy();
    return standing(policy, removed) + need(job) <= reservation(policy)
        && departmentsOf(job).stream()
            .allMatch(
                each -> protectedUsage(each, removed) + need(job) <= departments.reservation(each));
  }

  /// Where it would stand.
  Standing standing(Job job) {
    if (isEntitled(job)) {
      return Standing.ENTITLED;
    }
    PolicyId policy = queue(job).policy();
    if (charged(policy) + need(job) > limit(policy) || fullDepartment(job).isPresent()) {
      return Standing.ABOVE_LIMIT;
    }
    boolean isLent =
        departmentsOf(job).stream()
            .anyMatch(
                each -> standing(each, Set.of()) + need(job) <= departments.reservation(each));
    return isLent ? Standing.LENT : Standing.OVER_RESERVATION;
  }

  boolean preemptsWithin(Job job) {
    return policy(job).preemptWithin() == PreemptWithin.LOWER_PRIORITY;
  }

  /// Whether a job of higher priority waits in its policy, whose jobs preempt each other (P9).
  boolean letsOthersGoFirst(Job job) {
    return shadow.live().stream()
        .anyMatch(other -> other.state() == JobState.WAITING && letsGoFirst(job, other));
  }

  /// Whether the other one is of higher priority in its policy, whose jobs preempt each other (P9).
  boolean letsGoFirst(Job job, Job other) {
    return preemptsWithin(job)
        && other.spec().priority() > job.spec().priority()
        && queue(other.spec().queue())
            .filter(queue -> queue.policy().equals(queue(job).policy()))
            .isPresent();
  }

  // --- Room.

  boolean fits(Pool pool, Job job) {
    return space.fits(pool, profile(job), Without.NOTHING);
  }

  /// The first pool in routing order that can take it now (O6).
  Optional<Pool> firstPool(Job job) {
    Profile profile = profile(job);
    return routes(job).stream()
        .filter(pool -> space.fits(pool, profile, Without.NOTHING))
        .findFirst();
  }

  boolean fitsNow(Job job) {
    return firstPool(job).isPresent();
  }

  /// Whether it fits when everything that stops has stopped, and these are gone as well.
  boolean fitsWithout(Job job, Set<AttemptId> removed) {
    Profile profile = profile(job);
    return routes(job).stream()
        .anyMatch(pool -> space.fits(pool, profile, Without.stoppingAnd(removed)));
  }

  /// As [#fitsWithout(Job, Set)], in this pool.
  boolean fitsWithout(Pool pool, Job job, Set<AttemptId> removed) {
    return space.fits(pool, profile(job), Without.stoppingAnd(removed));
  }

  /// The first pool where it fits when everything that stops has stopped, and these are gone.
  Optional<Pool> poolWithout(Job job, Collection<Attempt> removed) {
    Set<AttemptId> ids = removed.stream().map(Attempt::id).collect(Collectors.toSet());
    return routes(job).stream()
        .filter(pool -> space.fits(pool, profile(job), Without.stoppingAnd(ids)))
        .findFirst();
  }

  // --- Turns.

  /// The jobs that wait and that nothing is held for, one of each kind that rules do not tell
  /// apart: the first.
  List<Job> heads() {
    return List.copyOf(headsByKind().values());
  }

  /// The first of the waiting jobs that the rules do not distinguish from this one.
  Job headOf(Job job) {
    return headsByKind().get(kind(job));
  }

  private Map<List<Object>, Job> headsByKind() {
    Map<List<Object>, Job> alike = new LinkedHashMap<>();
    for (Job other : shadow.live()) {
      if (other.state() == JobState.WAITING
          && !isHeldFor(other)
          && !shadow.backedOff.contains(other.id())) {
        alike.merge(kind(other), other, (a, b) -> turns.isAhead(a, b) ? a : b);
      }
    }
    return alike;
  }

  private List<Object> kind(Job job) {
    return List.of(
        job.spec().queue(), job.spec().user(), preemptibleOrNot(job), turns.promotedIn(job));
  }

  /// The first job of each queue that rights let start: no other job of the queue holds.
  Collection<Job> firsts() {
    Map<QueueId, Job> firsts = new LinkedHashMap<>();
    for (Job job : heads()) {
      if (refusal(job).isEmpty()) {
        firsts.merge(job.spec().queue(), job, (a, b) -> turns.isAheadInQueue(a, b) ? a : b);
      }
    }
    return firsts.values();
  }

  private boolean preemptibleOrNot(Job job) {
    return queue(job.spec().queue()).isEmpty() || preemptible(job);
  }

  boolean isHeldFor(Job job) {
    return shadow.holds.containsKey(job.id()) && !ignored.contains(job.id());
  }

  static GpuQuantity gpus(long units) {
    return new GpuQuantity(units);
  }
}
