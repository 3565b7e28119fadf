package io.headgate.scheduler.core.property;

import static io.headgate.scheduler.core.property.Violation.require;

import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.Effect;
import io.headgate.scheduler.core.catalog.Elasticity;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.property.Space.Without;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Elastic pools: what may be asked for, what is given back, and for how long an entitled job waits
/// for it (P6).
final class Supply {
  private final Shadow shadow;
  private final Map<NodeId, Instant> idleSince = new HashMap<>();
  private final Map<PoolId, Instant> missingSince = new HashMap<>();

  /// Instances that this decision gives back: they were there when jobs had their turns.
  private final Map<PoolId, Integer> givenBack = new HashMap<>();

  /// Instances requested of each pool when the last decision was made.
  private final Map<PoolId, Integer> asked = new HashMap<>();

  Supply(Shadow shadow) {
    this.shadow = shadow;
  }

  /// A node that leaves and comes back under its name is another one.
  void forget(NodeId node) {
    idleSince.remove(node);
  }

  /// Nodes of a pool that is not elastic do not count as idle, not even between two inputs of a
  /// batch.
  void forgetWhereStatic() {
    idleSince
        .keySet()
        .removeIf(id -> {
          Node node = shadow.nodes.get(id);
          return node == null || shadow.pool(node.pool()).flatMap(Pool::elasticity).isEmpty();
        });
  }

  /// The most instances that are worth having: no more than the ceiling lets be used.
  static int most(Pool pool) {
    Elasticity elasticity = pool.elasticity().orElseThrow();
    int most = elasticity.maxInstances();
    long units = elasticity.instance().gpus() * 126_000L;
    while (most > 0 && units > 0 && (most - 1) * units >= Space.ceiling(pool)) {
      most--;
    }
    return most;
  }

  /// Whether so many more instances of the pool can come that the job fits there.
  static boolean canServe(Pool pool, Job job, Reference rules) {
    Profile profile = rules.profile(job);
    int fitting = rules.space.workersOnInstance(pool, profile);
    if (fitting == 0) {
      return false;
    }
    long more = most(pool) - rules.space.joined(pool);
    return more > 0 && more * fitting >= profile.workers();
  }

  /// Whether the job has to wait for a provider before it preempts (P6).
  boolean mayServe(Job job, Reference rules) {
    for (Pool pool : rules.routes(job)) {
      if (canServe(pool, job, rules)) {
        Instant since = missingSince(pool, rules);
        if (rules.now.isBefore(since.plus(rules.profile(job).preemptionDelay()))) {
          return true;
        }
      }
    }
    return false;
  }

  /// Since when the first is missing that the pool was asked for before the decision; now, when all
  /// have come since.
  private Instant missingSince(Pool pool, Reference rules) {
    int there = rules.space.joined(pool) + givenBack.getOrDefault(pool.id(), 0);
    return asked.getOrDefault(pool.id(), 0) > there
        ? missingSince.getOrDefault(pool.id(), rules.now)
        : rules.now;
  }

  boolean isMissing(Pool pool, Reference rules) {
    return shadow.asked.getOrDefault(pool.id(), 0) > rules.space.joined(pool);
  }

  /// Begins a new decision.
  void begin() {
    givenBack.clear();
  }

  /// Holds what a decision asks for and gives back against the pools' bounds.
  void check(Decision decision, Reference rules) {
    Set<NodeId> busy = new HashSet<>();
    for (Attempt attempt : shadow.attempts.values()) {
      attempt.assignment().workers().forEach(place -> busy.add(place.node()));
    }
    List<Hold> holds = new ArrayList<>(shadow.holds.values());
    holds.addAll(shadow.returning.values());
    for (Hold hold : holds) {
      for (WorkerPlace place : hold.place().workers()) {
        busy.add(place.node());
      }
    }
    for (Effect effect : decision.effects()) {
      switch (effect) {
        case Effect.ReleaseNode(var id) -> {
          Node node = shadow.nodes.get(id);
          requireIdle(node, busy, rules);
          givenBack.merge(node.pool(), 1, Integer::sum);
        }
        case Effect.ScalePool(var id, var instances) -> {
          Pool pool = shadow.pool(id).orElseThrow();
          Elasticity elasticity = pool.elasticity().orElseThrow();
          int joined = rules.space.joined(pool);
          require(
              instances >= elasticity.minInstances()
                  && instances <= Math.max(joined, Math.max(elasticity.minInstances(), most(pool))),
              "an elastic pool stays in its bounds",
              effect,
              pool,
              joined);
        }
        default -> {}
      }
    }
    idleSince.keySet().retainAll(shadow.nodes.keySet());
    for (Node node : shadow.nodes.values()) {
      boolean elastic =
          shadow.pool(node.pool()).map(pool -> pool.elasticity().isPresent()).orElse(false);
      if (busy.contains(node.id()) || !elastic || shadow.released.contains(node.id())) {
        idleSince.remove(node.id());
      } else {
        idleSince.putIfAbsent(node.id(), rules.now);
      }
    }
    for (Pool pool : shadow.catalog.pools()) {
      if (pool.elasticity().isPresent()) {
        checkPool(pool, rules);
      }
    }
  }

  private void checkPool(Pool pool, Reference rules) {
    Elasticity elasticity = pool.elasticity().orElseThrow();
    Instant missing = missingSince(pool, rules);
    asked.put(pool.id(), shadow.asked.getOrDefault(pool.id(), 0));
    if (isMissing(pool, rules)) {
      missingSince.put(pool.id(), missing);
    } else {
      missingSince.remove(pool.id());
    }
    if (rules.space.joined(pool) > elasticity.minInstances()) {
      for (Node node : shadow.nodes.values()) {
        Instant since = idleSince.get(node.id());
        require(
            !node.pool().equals(pool.id())
                || since == null
                || since.plus(elasticity.idleTimeout()).isAfter(rules.now),
            "what idles for too long is given back",
            node,
            since);
      }
    }
  }

  private void requireIdle(Node node, Set<NodeId> busy, Reference rules) {
    Pool pool = shadow.pool(node.pool()).orElseThrow();
    Elasticity elasticity = pool.elasticity().orElseThrow();
    Instant since = idleSince.getOrDefault(node.id(), rules.now);
    require(
        !busy.contains(node.id()) && !since.plus(elasticity.idleTimeout()).isAfter(rules.now),
        "only what idled for long enough is given back",
        node,
        since);
    require(
        rules.space.joined(pool) >= elasticity.minInstances(),
        "what a pool keeps even when idle is not given back",
        node);
  }

  /// A job that fits nowhere, but would on a new instance, has had one requested.
  void requireAsked(Job job, Reference rules) {
    for (Pool pool : rules.routes(job)) {
      if (canServe(pool, job, rules)
          && rules.space.isBelowCeiling(pool, rules.profile(job), Without.NOTHING)) {
        require(
            shadow.catalog.pools().stream()
                .anyMatch(any -> any.elasticity().isPresent() && isMissing(any, rules)),
            "capacity that can be asked for is asked for",
            job,
            pool);
      }
    }
  }
}
