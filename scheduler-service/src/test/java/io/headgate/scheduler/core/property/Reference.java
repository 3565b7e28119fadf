package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.PreemptWithin;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.ProfileId;
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
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The rules (A1 to P9) a second time: slow, from the text, without index, cache or increment, over
/// the records of a [Shadow]. It never changes; the shadow must not either while it is used.
final class Reference {
  /// Where a policy would stand with a job more (O1, A2); the better first.
  enum Standing {
    ENTITLED,
    OVER_RESERVATION,
    ABOVE_LIMIT
  }

  final Shadow shadow;
  final Instant now;
  final Space space;
  private final Set<JobId> ignored;
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
    Map<PolicyId, Long> live = new HashMap<>();
    Map<PolicyId, Long> stopping = new HashMap<>();
    Map<PolicyId, Long> held = new HashMap<>();
    Map<PolicyId, Long> heldForVictims = new HashMap<>();
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
    List<Hold> holds = new ArrayList<>();
    for (Hold hold : shadow.holds.values()) {
      if (!ignored.contains(hold.job())) {
        holds.add(hold);
      }
    }
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
      boolean own = shadow.jobs.get(hold.job()).spec().user().equals(user);
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
    return structural(job).or(() -> limit(job)).or(() -> otherRights(job));
  }

  /// As [#refusal], of a job that makes its own room in the policy's limit (P9).
  Optional<String> refusalBesidesLimit(Job job) {
    return structural(job).or(() -> otherRights(job));
  }

  /// The first obstacle that no end of a job removes.
  Optional<String> structural(Job job) {
    Queue queue = queue(job.spec().queue()).orElse(null);
    if (queue == null
        || shadow.profile(queue.profile()).isEmpty()
        || shadow.policy(queue.policy()).isEmpty()) {
      return Optional.of("NEVER_FITS");
    }
    Policy policy = policy(job);
    Profile profile = profile(job);
    long need = need(job);
    boolean userTooSmall = policy.perUserLimit().map(limit -> need > limit.units()).orElse(false);
    if ((need > policy.limit().units() && !mayExceedLimit(job))
        || userTooSmall
        || (need > policy.reservation().units() && (!queue.overReservation() || !preemptible(job)))
        || routes(job).stream().noneMatch(pool -> space.everFits(pool, profile))) {
      return Optional.of("NEVER_FITS");
    }
    return queue.open() ? Optional.empty() : Optional.of("QUEUE_CLOSED");
  }

  private Optional<String> limit(Job job) {
    Policy policy = policy(job);
    return charged(policy.id()) + need(job) > policy.limit().units() && !mayExceedLimit(job)
        ? Optional.of("LIMIT")
        : Optional.empty();
  }

  private Optional<String> otherRights(Job job) {
    Policy policy = policy(job);
    long need = need(job);
    if (policy.perUserLimit().isPresent()
        && chargedByUser(policy.id(), job.spec().user()) + need
            > policy.perUserLimit().get().units()) {
      return Optional.of("USER_LIMIT");
    }
    if (!queue(job).overReservation() && !isEntitled(job)) {
      return Optional.of("OVER_RESERVATION_DENIED");
    }
    if (!preemptible(job) && nonPreemptible(policy.id()) + need > policy.reservation().units()) {
      return Optional.of("NON_PREEMPTIBLE");
    }
    return Optional.empty();
  }

  boolean isEntitled(Job job) {
    PolicyId policy = queue(job).policy();
    return standing(policy, Set.of()) + need(job) <= reservation(policy);
  }

  /// Where its policy would stand with it.
  Standing standing(Job job) {
    if (isEntitled(job)) {
      return Standing.ENTITLED;
    }
    PolicyId policy = queue(job).policy();
    return charged(policy) + need(job) <= limit(policy)
        ? Standing.OVER_RESERVATION
        : Standing.ABOVE_LIMIT;
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
        alike.merge(kind(other), other, (a, b) -> isAhead(a, b) ? a : b);
      }
    }
    return alike;
  }

  private List<Object> kind(Job job) {
    return List.of(job.spec().queue(), job.spec().user(), preemptibleOrNot(job));
  }

  /// The first job of each queue that rights let start: no other job of the queue holds.
  Collection<Job> firsts() {
    Map<QueueId, Job> firsts = new LinkedHashMap<>();
    for (Job job : heads()) {
      if (refusal(job).isEmpty()) {
        firsts.merge(job.spec().queue(), job, (a, b) -> isAhead(a, b) ? a : b);
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

  /// Whether the turn of the first job in its pool is before that of the second in its own (O1-O5);
  /// of one queue each is the first that may start.
  boolean isBefore(Job first, Pool itsPool, Job second, Pool other) {
    Queue one = queue(first);
    Queue two = queue(second);
    if (one.equals(two)) {
      return isAhead(first, second);
    }
    if (standing(first) != standing(second)) {
      return standing(first).compareTo(standing(second)) < 0;
    }
    int position = position(itsPool, first);
    int others = position(other, second);
    if (position != others) {
      return position < others;
    }
    if (one.rank() != two.rank()) {
      return one.rank() < two.rank();
    }
    int share = Double.compare(share(first), share(second));
    return share == 0 ? isAhead(first, second) : share < 0;
  }

  /// O5.
  boolean isAhead(Job first, Job second) {
    int priority = Integer.compare(second.spec().priority(), first.spec().priority());
    return priority == 0 ? first.sequence() < second.sequence() : priority < 0;
  }

  /// Where it fits first; where it fits nowhere, the pool where its turn comes first.
  Pool placeOf(Job job) {
    return firstPool(job)
        .orElseGet(() ->
            routes(job).stream()
                .min(Comparator.comparingInt(pool -> position(pool, job)))
                .orElseThrow());
  }

  int position(Pool pool, Job job) {
    return position(pool, profile(job).id());
  }

  int position(Pool pool, ProfileId profile) {
    int index = pool.order().indexOf(profile);
    return index < 0 ? pool.order().size() : index;
  }

  private double share(Job job) {
    boolean entitled = standing(job) == Standing.ENTITLED;
    return entitled && need(job) == 0 ? 0 : share(queue(job).policy(), entitled, Set.of());
  }

  /// O4, as the policy stands without the removed attempts.
  double share(PolicyId policy, boolean entitled, Set<AttemptId> removed) {
    double usage = standing(policy, removed);
    double reservation = reservation(policy);
    if (entitled) {
      return reservation == 0 ? 0 : usage / reservation;
    }
    return Math.max(0, usage - reservation) / shadow.policy(policy).map(Policy::weight).orElse(1);
  }

  static GpuQuantity gpus(long units) {
    return new GpuQuantity(units);
  }
}
