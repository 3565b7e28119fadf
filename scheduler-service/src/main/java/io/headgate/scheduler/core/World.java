package io.headgate.scheduler.core;

import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.policy.TaskClass;
import io.headgate.scheduler.core.placement.policy.TaskMix;
import io.headgate.scheduler.core.preemption.AttemptEnds;
import io.headgate.scheduler.core.preemption.MovableAttempts;
import io.headgate.scheduler.core.preemption.Obstacles;
import io.headgate.scheduler.core.preemption.PossibleVictims;
import io.headgate.scheduler.core.preemption.PreemptionSearch;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.queue.RouteGroup;
import io.headgate.scheduler.core.rights.DepartmentAccount;
import io.headgate.scheduler.core.rights.Departments;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.PoolTenants;
import io.headgate.scheduler.core.rights.Standing;
import io.headgate.scheduler.core.rights.TenantAccount;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Everything that the core knows. Hash maps in it are only looked up in, never iterated over:
/// their order is not the same everywhere.
final class World {
  final PlacementPolicy placement;
  final TreeMap<TenantId, Catalog> catalogs = new TreeMap<>();
  final TreeMap<TenantId, Demand> demands = new TreeMap<>();
  final TreeMap<PoolId, PoolState> pools = new TreeMap<>();
  final TreeMap<PolicyId, PolicyAccount> accounts = new TreeMap<>();

  /// In their order, to be gone through.
  final TreeMap<QueueId, QueueState> queues = new TreeMap<>();

  /// The queues of [#queues], for look-ups.
  private final Map<QueueId, QueueState> queuesById = new HashMap<>();

  final Map<NodeId, NodeState> nodes = new HashMap<>();
  final Map<JobId, LiveJob> jobs = new HashMap<>();

  /// In the order in which they were placed.
  final LinkedHashMap<JobId, LiveHold> holds = new LinkedHashMap<>();

  /// Nodes that get no work for a while.
  final TreeSet<NodeState> aside = new TreeSet<>();

  /// Waiting jobs that pause after a rejection, by the end of the pause.
  final TreeSet<LiveJob> backedOff =
      new TreeSet<>(
          Comparator.comparing((LiveJob job) -> Objects.requireNonNull(job.backOff()).until())
              .thenComparingLong(LiveJob::sequence));

  /// Waiting jobs behind their gates.
  final Gates gates = new Gates();

  final PossibleVictims possibleVictims = new PossibleVictims();
  final MovableAttempts movable = new MovableAttempts();
  final FailedMoves failedMoves = new FailedMoves();
  final AttemptEnds ends = new AttemptEnds(this::pool);
  final HoldSearches holdSearches = new HoldSearches(this);
  final PolicyAttempts attemptsOf = new PolicyAttempts();
  final Headroom headroom = new Headroom();

  /// Suspended attempts, by the sequence of their jobs.
  final TreeMap<Long, LiveAttempt> suspended = new TreeMap<>();

  /// Attempts that stop because a worker was lost, by the sequence of their jobs, which return to
  /// their old places (O5).
  final TreeMap<Long, LiveAttempt> returning = new TreeMap<>();

  /// The places kept for such jobs, in the order in which they were kept.
  final LinkedHashMap<JobId, LiveHold> returningPlaces = new LinkedHashMap<>();

  /// The groups by their routes.
  final Map<List<Route>, RouteGroup> routeGroups = new LinkedHashMap<>();

  /// The queues that have the routes of a group.
  final Map<RouteGroup, List<QueueState>> queuesOfGroup = new HashMap<>();

  /// The groups that have a route in a pool.
  final Map<PoolState, List<RouteGroup>> groupsOf = new HashMap<>();

  /// The provisioned queues of each policy.
  final Map<PolicyAccount, List<QueueState>> queuesOf = new HashMap<>();

  /// The queues whose jobs are promoted in some pool (O7).
  final List<QueueState> promotingQueues = new ArrayList<>();

  /// The tenants of each pool.
  final Map<PoolState, PoolTenants> tenants = new HashMap<>();

  /// The pools where past use counts (O4), and those where it did until this decision.
  final TreeSet<PoolState> rememberingPools = new TreeSet<>();

  /// The provisioned queues of each tenant that is bound in a pool of theirs (A3).
  final Map<TenantAccount, List<QueueState>> queuesOfTenant = new HashMap<>();

  /// The departments of all tenants (A3).
  final Departments departments = new Departments();

  /// The provisioned queues of all policies below each department.
  final Map<DepartmentAccount, List<QueueState>> queuesOfDepartment = new HashMap<>();

  /// The standing of each attempt that began or ended in the last decision, at that moment.
  final Map<AttemptId, Standing> standings = new HashMap<>();

  /// The orders to elastic pools.
  final TreeMap<PoolState, Asked> asked = new TreeMap<>();

  /// The order to an elastic pool.
  ///
  /// @param instances in all
  /// @param missingSince when the first instance was asked for that has not come yet, or one left;
  ///   absent when all have come
  record Asked(int instances, Optional<Instant> missingSince) {}

  /// The jobs that may not preempt by P7, P9 and P10.
  final Bars bars = new Bars(this);

  /// The events that outdate remembered results.
  final Changes changes = new Changes();

  /// Bounds each search for victims.
  int searchSteps = PreemptionSearch.MAX_STEPS;

  /// The time of the last decision.
  Instant decidedAt = Instant.MIN;

  private long nextSequence;
  private boolean expectsInstances;

  World(PlacementPolicy placement) {
    this.placement = placement;
  }

  /// The next number in the order of submissions and starts.
  long takeSequence() {
    return nextSequence++;
  }

  /// The number that [#takeSequence] gives next.
  long nextSequence() {
    return nextSequence;
  }

  /// Numbers below this one are taken.
  void skipSequencesBelow(long next) {
    nextSequence = Math.max(nextSequence, next);
  }

  /// Whether some queue expects an instance of an elastic pool.
  boolean expectsInstances() {
    return expectsInstances;
  }

  /// An elastic pool will be asked for an instance for the queue's jobs.
  void expectInstance(QueueState queue, PoolState pool) {
    queue.setExpects(pool);
    expectsInstances = true;
  }

  /// The attempt runs, and was not asked to stop.
  void addRunning(LiveAttempt attempt) {
    possibleVictims.add(attempt);
    movable.add(attempt);
    ends.add(attempt);
    attemptsOf.add(attempt);
  }

  /// Reverses [#addRunning].
  void removeRunning(LiveAttempt attempt) {
    possibleVictims.remove(attempt);
    movable.remove(attempt);
    ends.remove(attempt);
    attemptsOf.remove(attempt);
  }

  /// No queue expects an instance.
  void expectNoInstances() {
    queues.values().forEach(queue -> queue.setExpects(null));
    expectsInstances = false;
  }

  PoolState pool(PoolId id) {
    return pools.computeIfAbsent(id, key -> new PoolState(key, placement));
  }

  PoolState poolOf(NodeState node) {
    return pool(node.poolId());
  }

  /// Brings the node's pool up to date with it.
  void refresh(NodeState node) {
    poolOf(node).refresh(node);
  }

  PolicyAccount account(PolicyId id) {
    return accounts.computeIfAbsent(id, PolicyAccount::new);
  }

  PoolTenants tenants(PoolState pool) {
    return tenants.computeIfAbsent(pool, key -> new PoolTenants(key.id()));
  }

  /// The tenant's account in the pool.
  TenantAccount tenant(PoolState pool, TenantId tenant) {
    return tenants(pool).account(tenant);
  }

  QueueState queue(QueueId id) {
    QueueState known = queuesById.get(id);
    if (known != null) {
      return known;
    }
    QueueState queue = new QueueState(id);
    queuesById.put(id, queue);
    queues.put(id, queue);
    return queue;
  }

  @Nullable QueueState knownQueue(QueueId id) {
    return queuesById.get(id);
  }

  void forget(QueueState queue) {
    queuesById.remove(queue.id());
    queues.remove(queue.id());
  }

  Demand demand(TenantId tenant) {
    return demands.computeIfAbsent(tenant, key -> new Demand());
  }

  /// Tells the tenant's pools what tasks to expect.
  void expect(TenantId tenant) {
    Catalog catalog = catalogs.get(tenant);
    if (catalog == null) {
      return;
    }
    Collection<Catalog> askedBy =
        tenant.equals(TenantId.PLATFORM) ? catalogs.values() : List.of(catalog);
    for (PoolState pool : pools.values()) {
      if (pool.id().tenant().equals(tenant)) {
        pool.expect(mix(pool.id(), askedBy));
      }
    }
    for (PoolId shared : catalog.sharedPools()) {
      PoolState pool = pools.get(shared);
      if (pool != null) {
        pool.expect(mix(shared, catalogs.values()));
      }
    }
  }

  private TaskMix mix(PoolId pool, Collection<Catalog> askedBy) {
    Map<TaskClass, Double> weights = new TreeMap<>();
    for (Catalog catalog : askedBy) {
      demand(catalog.tenant()).addTo(weights, pool, catalog.profiles());
    }
    return TaskMix.of(weights);
  }

  /// Whether the queue was removed from its tenant's catalog; not when there is no catalog yet.
  boolean isRemoved(QueueState queue) {
    return queue.queue().isEmpty() && catalogs.containsKey(queue.id().tenant());
  }

  /// The units that blocked jobs hold in the pool (O7).
  long heldForBlocked(PoolState pool) {
    long units = 0;
    for (LiveHold hold : holds.values()) {
      units += hold.isForBlocked() && hold.pool() == pool ? hold.claim().units() : 0;
    }
    return units;
  }

  /// The obstacles of entitled jobs, as of the last decision.
  Obstacles obstacles() {
    return new Obstacles(
        job -> {
          LiveJob known = jobs.get(job);
          return known == null ? null : known.attempt();
        },
        decidedAt);
  }

  List<NodeState> sortedNodes() {
    List<NodeState> sorted = new ArrayList<>(nodes.values());
    sorted.sort(null);
    return sorted;
  }

  List<LiveJob> sortedJobs() {
    List<LiveJob> sorted = new ArrayList<>(jobs.values());
    sorted.sort((a, b) -> Long.compare(a.sequence(), b.sequence()));
    return sorted;
  }
}
