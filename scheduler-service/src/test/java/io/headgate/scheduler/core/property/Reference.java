package io.headgate.scheduler.core.property;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.Reclaim;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The rules of DESIGN section 3 a second time: slow, from the text, without index, cache or
/// increment, over the records of a [Shadow].
final class Reference {
  private final Shadow shadow;
  private final Instant now;

  Reference(Shadow shadow, Instant now) {
    this.shadow = shadow;
    this.now = now;
  }

  // --- What is configured.

  Optional<Queue> queue(QueueId id) {
    return shadow.catalog.queues().stream().filter(q -> q.id().equals(id)).findAny();
  }

  Optional<Profile> profile(ProfileId id) {
    return shadow.catalog.profiles().stream().filter(p -> p.id().equals(id)).findAny();
  }

  Optional<Policy> policy(PolicyId id) {
    return shadow.catalog.policies().stream().filter(p -> p.id().equals(id)).findAny();
  }

  Optional<Pool> pool(PoolId id) {
    return shadow.catalog.pools().stream().filter(p -> p.id().equals(id)).findAny();
  }

  long reservation(PolicyId id) {
    return policy(id).map(p -> p.reservation().units()).orElse(0L);
  }

  List<Pool> routes(Queue queue, Profile profile) {
    List<Pool> routes = new ArrayList<>();
    for (PoolId id : profile.pools()) {
      pool(id)
          .filter(p -> p.dedicatedTo().map(queue.policy()::equals).orElse(true))
          .filter(p -> !routes.contains(p))
          .ifPresent(routes::add);
    }
    return routes;
  }

  // --- What is used.

  boolean preemptible(Job job, Queue queue) {
    return job.spec()
        .preemptible()
        .orElseGet(() -> policy(queue.policy()).map(Policy::preemptible).orElse(true));
  }

  private long held(PolicyId policy) {
    long units = 0;
    for (Hold hold : shadow.holds.values()) {
      if (policyOf(hold).equals(policy)) {
        units += hold.place().units();
      }
    }
    return units;
  }

  private PolicyId policyOf(Hold hold) {
    return queue(shadow.jobs.get(hold.job()).spec().queue()).orElseThrow().policy();
  }

  long charged(PolicyId policy) {
    long units = held(policy);
    for (Attempt attempt : shadow.attempts.values()) {
      units += attempt.policy().equals(policy) ? attempt.assignment().units() : 0;
    }
    return units;
  }

  long standing(PolicyId policy, Set<AttemptId> removed) {
    long units = held(policy);
    for (Attempt attempt : shadow.attempts.values()) {
      if (attempt.policy().equals(policy)
          && attempt.stop().isEmpty()
          && !removed.contains(attempt.id())) {
        units += attempt.assignment().units();
      }
    }
    return units;
  }

  long chargedByUser(PolicyId policy, UserId user) {
    long units = 0;
    for (Attempt attempt : shadow.attempts.values()) {
      boolean own = shadow.jobs.get(attempt.id().job()).spec().user().equals(user);
      units += own && attempt.policy().equals(policy) ? attempt.assignment().units() : 0;
    }
    for (Hold hold : shadow.holds.values()) {
      boolean own = shadow.jobs.get(hold.job()).spec().user().equals(user);
      units += own && policyOf(hold).equals(policy) ? hold.place().units() : 0;
    }
    return units;
  }

  long nonPreemptible(PolicyId policy) {
    long units = 0;
    for (Attempt attempt : shadow.attempts.values()) {
      boolean counts = attempt.policy().equals(policy) && !attempt.preemptible();
      units += counts ? attempt.assignment().units() : 0;
    }
    for (Hold hold : shadow.holds.values()) {
      Job job = shadow.jobs.get(hold.job());
      Queue queue = queue(job.spec().queue()).orElseThrow();
      boolean counts = queue.policy().equals(policy) && !preemptible(job, queue);
      units += counts ? hold.place().units() : 0;
    }
    return units;
  }

  // --- Rights.

  /// The first right that stands in the way, as [io.headgate.scheduler.core.explain.Reason] codes
  /// it; empty: none.
  Optional<String> refusal(Job job) {
    Queue queue = queue(job.spec().queue()).orElse(null);
    if (queue == null || profile(queue.profile()).isEmpty() || policy(queue.policy()).isEmpty()) {
      return Optional.of("NEVER_FITS");
    }
    Policy policy = policy(queue.policy()).get();
    Profile profile = profile(queue.profile()).get();
    long need = profile.need().units();
    boolean preemptible = preemptible(job, queue);
    boolean userTooSmall = policy.perUserLimit().map(limit -> need > limit.units()).orElse(false);
    if (need > policy.limit().units()
        || userTooSmall
        || (need > policy.reservation().units() && (!queue.overReservation() || !preemptible))
        || routes(queue, profile).stream().noneMatch(pool -> everFits(pool, profile))) {
      return Optional.of("NEVER_FITS");
    }
    if (!queue.open()) {
      return Optional.of("QUEUE_CLOSED");
    }
    if (charged(policy.id()) + need > policy.limit().units()) {
      return Optional.of("LIMIT");
    }
    if (policy.perUserLimit().isPresent()
        && chargedByUser(policy.id(), job.spec().user()) + need
            > policy.perUserLimit().get().units()) {
      return Optional.of("USER_LIMIT");
    }
    if (!queue.overReservation() && !isEntitled(job)) {
      return Optional.of("OVER_RESERVATION_DENIED");
    }
    if (!preemptible && nonPreemptible(policy.id()) + need > policy.reservation().units()) {
      return Optional.of("NON_PREEMPTIBLE");
    }
    return Optional.empty();
  }

  boolean isEntitled(Job job) {
    Queue queue = queue(job.spec().queue()).orElseThrow();
    long need = profile(queue.profile()).orElseThrow().need().units();
    return standing(queue.policy(), Set.of()) + need <= reservation(queue.policy());
  }

  private boolean everFits(Pool pool, Profile profile) {
    if (profile.need().units() > ceiling(pool)) {
      return false;
    }
    List<Node> nodes =
        shadow.nodes.values().stream().filter(node -> node.pool().equals(pool.id())).toList();
    if (nodes.isEmpty()) {
      return true;
    }
    Shadow empty = new Shadow(shadow.catalog);
    for (Node node : nodes) {
      Node ready = node.withStatus(NodeStatus.READY);
      if (new Reference(empty, now).workers(ready, pool, profile, true, Set.of()) > 0) {
        return true;
      }
    }
    return false;
  }

  // --- Room.

  private static long ceiling(Pool pool) {
    return pool.capacity().map(GpuQuantity::units).orElse(Long.MAX_VALUE / 4);
  }

  boolean takesWork(Node node) {
    return node.status() == NodeStatus.READY && !shadow.aside.containsKey(node.id());
  }

  /// Live, stopping and held parts of something that attempts and holds have.
  private interface Part {
    long of(WorkerPlace place);
  }

  private long free(Node node, long capacity, boolean soon, Set<AttemptId> removed, Part part) {
    long live = 0;
    long stopping = 0;
    long held = 0;
    for (Attempt attempt : shadow.attempts.values()) {
      long sum = sum(node, attempt.assignment(), part);
      if (removed.contains(attempt.id())) {
        continue;
      }
      if (attempt.stop().isPresent()) {
        stopping += sum;
      } else {
        live += sum;
      }
    }
    for (Hold hold : shadow.holds.values()) {
      held += sum(node, hold.place(), part);
    }
    return capacity - live - held - (soon ? 0 : stopping);
  }

  private static long sum(Node node, Assignment assignment, Part part) {
    long sum = 0;
    for (WorkerPlace place : assignment.workers()) {
      sum += place.node().equals(node.id()) ? part.of(place) : 0;
    }
    return sum;
  }

  private static long on(WorkerPlace place, int device, boolean memory) {
    long sum = 0;
    for (Slice slice : place.slices()) {
      if (slice.device() == device) {
        sum += memory ? slice.memoryBytes() : slice.quantity().units();
      }
    }
    return sum;
  }

  /// Workers that fit on the node: one after the other into what is left.
  private int workers(Node node, Pool pool, Profile profile, boolean soon, Set<AttemptId> removed) {
    if (!takesWork(node)) {
      return 0;
    }
    List<Device> devices =
        node.devices().stream()
            .filter(d -> pool.gpuModel().map(d.model()::equals).orElse(true))
            .toList();
    long[] units = new long[devices.size()];
    long[] memory = new long[devices.size()];
    for (int i = 0; i < units.length; i++) {
      Device device = devices.get(i);
      units[i] =
          free(node, UNITS_PER_GPU, soon, removed, place -> on(place, device.index(), false));
      memory[i] =
          free(node, device.memoryBytes(), soon, removed, place -> on(place, device.index(), true));
    }
    long cpu = free(node, node.cpuMillis(), soon, removed, WorkerPlace::cpuMillis);
    long main = free(node, node.memoryBytes(), soon, removed, WorkerPlace::memoryBytes);
    int fitting = 0;
    while (fitting < profile.workers()
        && (profile.cpuMillis() == 0 || cpu >= profile.cpuMillis())
        && (profile.memoryBytes() == 0 || main >= profile.memoryBytes())
        && takeDevices(profile, devices, units, memory)) {
      cpu -= profile.cpuMillis();
      main -= profile.memoryBytes();
      fitting++;
    }
    return fitting;
  }

  private static boolean takeDevices(
      Profile profile, List<Device> devices, long[] units, long[] memory) {
    long want = profile.gpus().units();
    if (want == 0) {
      return true;
    }
    if (want < UNITS_PER_GPU) {
      for (int i = 0; i < units.length; i++) {
        long need =
            profile.gpuMemoryBytes().orElse(devices.get(i).memoryBytes() * want / UNITS_PER_GPU);
        if (units[i] >= want
            && memory[i] >= need
            && devices.get(i).isolation().compareTo(profile.isolation()) >= 0) {
          units[i] -= want;
          memory[i] -= need;
          return true;
        }
      }
      return false;
    }
    List<Integer> idle = new ArrayList<>();
    for (int i = 0; i < units.length; i++) {
      if (units[i] == UNITS_PER_GPU
          && memory[i] == devices.get(i).memoryBytes()
          && memory[i] >= profile.gpuMemoryBytes().orElse(0)) {
        idle.add(i);
      }
    }
    int whole = (int) (want / UNITS_PER_GPU);
    if (idle.size() < whole) {
      return false;
    }
    idle.subList(0, whole).forEach(i -> units[i] = 0);
    return true;
  }

  boolean fits(Pool pool, Profile profile, boolean soon, Set<AttemptId> removed) {
    long live = 0;
    long stopping = 0;
    long held = 0;
    for (Attempt attempt : shadow.attempts.values()) {
      if (attempt.assignment().pool().equals(pool.id()) && !removed.contains(attempt.id())) {
        if (attempt.stop().isPresent()) {
          stopping += attempt.assignment().units();
        } else {
          live += attempt.assignment().units();
        }
      }
    }
    for (Hold hold : shadow.holds.values()) {
      held += hold.place().pool().equals(pool.id()) ? hold.place().units() : 0;
    }
    long need = profile.need().units();
    long free = ceiling(pool) - live - held - (soon ? 0 : stopping);
    if (need > 0 && need > free) {
      return false;
    }
    long workers = 0;
    for (Node node : shadow.nodes.values()) {
      if (node.pool().equals(pool.id())) {
        workers += workers(node, pool, profile, soon, removed);
      }
    }
    return workers >= profile.workers();
  }

  boolean fitsSomewhere(Job job, boolean soon, Set<AttemptId> removed) {
    Queue queue = queue(job.spec().queue()).orElseThrow();
    Profile profile = profile(queue.profile()).orElseThrow();
    return routes(queue, profile).stream().anyMatch(pool -> fits(pool, profile, soon, removed));
  }

  /// More of the pool's nodes is taken than there is.
  boolean isOvercommitted(Node node, boolean withHolds) {
    for (Device device : node.devices()) {
      long live = 0;
      long stopping = 0;
      long held = 0;
      for (Attempt attempt : shadow.attempts.values()) {
        long sum = sum(node, attempt.assignment(), place -> on(place, device.index(), false));
        live += attempt.stop().isEmpty() ? sum : 0;
        stopping += attempt.stop().isPresent() ? sum : 0;
      }
      for (Hold hold : shadow.holds.values()) {
        held += sum(node, hold.place(), place -> on(place, device.index(), false));
      }
      if (live + stopping > UNITS_PER_GPU || (withHolds && live + held > UNITS_PER_GPU)) {
        return true;
      }
    }
    return false;
  }

  // --- Turns.

  /// Whether the turn of the first job is before that of the second (O1-O5). Both fit somewhere
  /// now; of one queue each is the first that may start.
  boolean isBefore(Job first, Job second) {
    Queue one = queue(first.spec().queue()).orElseThrow();
    Queue two = queue(second.spec().queue()).orElseThrow();
    if (one.equals(two)) {
      return isAhead(first, second);
    }
    if (isEntitled(first) != isEntitled(second)) {
      return isEntitled(first);
    }
    if (position(one) != position(two)) {
      return position(one) < position(two);
    }
    if (one.rank() != two.rank()) {
      return one.rank() < two.rank();
    }
    int share = Double.compare(share(one.policy(), Set.of()), share(two.policy(), Set.of()));
    return share == 0 ? first.sequence() < second.sequence() : share < 0;
  }

  /// O5.
  boolean isAhead(Job first, Job second) {
    int priority = Integer.compare(second.spec().priority(), first.spec().priority());
    return priority == 0 ? first.sequence() < second.sequence() : priority < 0;
  }

  private int position(Queue queue) {
    Profile profile = profile(queue.profile()).orElseThrow();
    for (Pool pool : routes(queue, profile)) {
      if (fits(pool, profile, false, Set.of())) {
        return position(pool, profile.id());
      }
    }
    throw new IllegalArgumentException("fits nowhere: " + queue);
  }

  // --- Victims.

  double lostWork(Attempt attempt) {
    Instant from = attempt.checkpointAt().or(attempt::startedAt).orElse(now);
    return from.isBefore(now)
        ? (double) attempt.assignment().units() * Duration.between(from, now).toMillis()
        : 0;
  }

  private boolean isProtected(Attempt attempt) {
    Duration least = policy(attempt.policy()).map(Policy::minRuntime).orElse(Duration.ZERO);
    return attempt.startedAt().orElse(attempt.assignedAt()).plus(least).isAfter(now)
        && !least.isZero();
  }

  boolean mayGo(Attempt attempt, Reclaim reclaim, Set<AttemptId> removed) {
    boolean dedicated =
        pool(attempt.assignment().pool()).map(p -> p.dedicatedTo().isPresent()).orElse(false);
    if (!attempt.preemptible()
        || attempt.stop().isPresent()
        || attempt.assignment().units() == 0
        || isProtected(attempt)
        || attempt.assignment().workers().stream()
            .map(place -> shadow.nodes.get(place.node()))
            .noneMatch(node -> node != null && takesWork(node))
        || dedicated) {
      return false;
    }
    long standing = standing(attempt.policy(), removed);
    long reservation = reservation(attempt.policy());
    return reclaim == Reclaim.STRICT
        ? standing - attempt.assignment().units() >= reservation
        : standing > reservation;
  }

  private int position(Attempt attempt) {
    return pool(attempt.assignment().pool())
        .map(pool -> position(pool, attempt.profile()))
        .orElse(0);
  }

  private int position(Pool pool, ProfileId profile) {
    List<ProfileId> order = new ArrayList<>(pool.order());
    shadow.catalog.profiles().stream()
        .filter(p -> p.pools().contains(pool.id()) && !pool.order().contains(p.id()))
        .map(Profile::id)
        .sorted()
        .forEach(order::add);
    int index = order.indexOf(profile);
    return index < 0 ? order.size() : index;
  }

  private int rank(Attempt attempt) {
    return queue(shadow.jobs.get(attempt.id().job()).spec().queue())
        .map(Queue::rank)
        .orElse(Integer.MAX_VALUE);
  }

  private double share(PolicyId policy, Set<AttemptId> removed) {
    long over = Math.max(0, standing(policy, removed) - reservation(policy));
    return over / (double) policy(policy).map(Policy::weight).orElse(1);
  }

  /// The victims of the shortest prefix of the reversed order after which the job fits; empty when
  /// it never does.
  Optional<List<Attempt>> prefix(Job job) {
    Queue queue = queue(job.spec().queue()).orElseThrow();
    Profile profile = profile(queue.profile()).orElseThrow();
    List<PoolId> pools = routes(queue, profile).stream().map(Pool::id).toList();
    List<Attempt> prefix = new ArrayList<>();
    Set<AttemptId> removed = new HashSet<>();
    while (!fitsSomewhere(job, true, removed)) {
      Optional<Attempt> worst =
          shadow.attempts.values().stream()
              .filter(a -> pools.contains(a.assignment().pool()))
              .filter(a -> !removed.contains(a.id()))
              .filter(a -> mayGo(a, profile.reclaim(), removed))
              .max(
                  Comparator.comparingInt((Attempt a) -> position(a))
                      .thenComparingInt(this::rank)
                      .thenComparingDouble(a -> share(a.policy(), removed))
                      .thenComparingLong(Attempt::sequence));
      if (worst.isEmpty()) {
        return Optional.empty();
      }
      prefix.add(worst.get());
      removed.add(worst.get().id());
    }
    return Optional.of(prefix);
  }
}
