package io.headgate.scheduler.core;

import io.headgate.scheduler.core.catalog.Elasticity;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.queue.Block;
import io.headgate.scheduler.core.queue.Lane;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.queue.RouteGroup;
import io.headgate.scheduler.core.rights.Account;
import io.headgate.scheduler.core.rights.DepartmentAccount;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.TenantAccount;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Asks elastic pools for instances, and gives back idle ones.
///
/// A pool is asked for as many instances as those waiting jobs would fill that rights let start.
/// Queues come in their order; each counts for the first of its elastic pools that may still grow.
/// Queues that share an instance share its price: 3 jobs of half an instance and 2 of a quarter ask
/// for 2. Where parts do not go together, the missing instances are asked for once the first have
/// come.
final class Scaling {
  private final World world;
  private final Transitions transitions;
  private final Instant now;
  private final Map<PoolState, Integer> joined = new HashMap<>();
  private final WakeTime wake;

  /// @param wake gets the time when an instance has idled for long enough, or a job has waited for
  ///   one for long enough
  Scaling(World world, Transitions transitions, Instant now, WakeTime wake) {
    this.world = world;
    this.transitions = transitions;
    this.now = now;
    this.wake = wake;
  }

  /// Whether an elastic pool may serve the job before its patience ends (P6).
  boolean mayServe(LiveJob job) {
    QueueState queue = job.queue();
    for (Route route : queue.routes(job)) {
      PoolState pool = route.pool();
      Elasticity elasticity = elasticity(pool);
      if (elasticity == null) {
        continue;
      }
      long missing = Math.max(0, most(pool, elasticity) - joined(pool));
      if (!route.hasRoomForTenant()
          || missing * pool.workersOnInstance(queue.shape()) < queue.shape().workers()) {
        continue;
      }
      Instant patience = missingSince(pool).plus(queue.preemptionDelay());
      if (now.isBefore(patience)) {
        wake.by(patience);
        return true;
      }
    }
    return false;
  }

  /// Since when an instance is missing that the pool was asked for; now, if it is asked only now,
  /// or all were there until now.
  private Instant missingSince(PoolState pool) {
    World.Asked asked = world.asked.get(pool);
    return asked != null && asked.instances() > joined(pool)
        ? asked.missingSince().orElse(now)
        : now;
  }

  private static @Nullable Elasticity elasticity(PoolState pool) {
    return pool.pool().flatMap(Pool::elasticity).orElse(null);
  }

  /// No more than its ceiling lets be used.
  private static int most(PoolState pool, Elasticity elasticity) {
    long units = pool.instanceUnits();
    long ceiling = pool.ceiling();
    long useful =
        units == 0 || ceiling == Long.MAX_VALUE ? Integer.MAX_VALUE : (ceiling + units - 1) / units;
    return (int) Math.min(elasticity.maxInstances(), useful);
  }

  private int joined(PoolState pool) {
    return joined.computeIfAbsent(
        pool,
        key -> {
          int count = 0;
          for (NodeState node : key.nodes()) {
            count += node.isRemoved() || node.isReleased() ? 0 : 1;
          }
          return count;
        });
  }

  /// Requests missing instances and gives idle ones back.
  void plan() {
    List<PoolState> elastic = new ArrayList<>();
    for (PoolState pool : world.pools.values()) {
      if (elasticity(pool) != null) {
        elastic.add(pool);
      }
    }
    world.asked.keySet().retainAll(elastic);
    if (elastic.isEmpty() && !world.expectsInstances()) {
      return;
    }
    // Found before instances are given back, because the turns of this pass counted all that had
    // joined.
    Map<PoolState, Instant> missingSince = new HashMap<>();
    for (PoolState pool : elastic) {
      missingSince.put(pool, missingSince(pool));
      int given = giveBack(pool);
      joined.merge(pool, -given, Integer::sum);
    }
    Map<PoolState, Double> wanted = wanted();
    for (PoolState pool : elastic) {
      ask(pool, wanted.getOrDefault(pool, 0.0), missingSince.getOrDefault(pool, now));
    }
  }

  /// Instances that waiting jobs would fill; notes which queues expect some.
  Map<PoolState, Double> wanted() {
    List<QueueState> blocked = new ArrayList<>();
    world.expectNoInstances();
    world.routeGroups.values().forEach(RouteGroup::findFirstRoutes);
    for (QueueState queue : world.queues.values()) {
      if (queue.resolved().isEmpty() || !queue.group().isElastic()) {
        continue;
      }
      boolean waits =
          !queue.lanes().isEmpty()
              && queue.turn().chooseStartable()
              && queue.turn().route() == null;
      LiveJob holder = holders(queue).findFirst().orElse(null);
      if (!waits && holder != null) {
        queue.turn().setCandidate(holder);
      }
      if (waits || holder != null) {
        blocked.add(queue);
      }
    }
    blocked.sort((a, b) -> a.turn().isBefore(b.turn()) ? -1 : b.turn().isBefore(a.turn()) ? 1 : 0);
    Map<PoolState, Double> wanted = new HashMap<>();
    Map<Account, Long> promised = new HashMap<>();
    Map<TenantAccount, Long> promisedInPool = new HashMap<>();
    for (QueueState queue : blocked) {
      // Jobs with a hold are charged already.
      long holding = holders(queue).count();
      long jobs = startable(queue, promised);
      for (Route route : queue.routes()) {
        if (holding + jobs > 0) {
          long most = startable(queue, route, promisedInPool.getOrDefault(route.tenant(), 0L));
          long held = Math.min(holding, holders(queue).filter(job -> isOpen(route, job)).count());
          long served = allot(queue, route.pool(), held + Math.min(jobs, most), wanted);
          long more = Math.max(0, served - held);
          promise(queue, more * queue.need(), promised);
          promisedInPool.merge(route.tenant(), more * queue.need(), Long::sum);
          holding -= served - more;
          jobs -= more;
        }
      }
    }
    return wanted;
  }

  /// Its jobs that hold capacity because they were blocked for too long (O7). They wait for room as
  /// before, and an instance may come before their held capacity becomes free.
  private static Stream<LiveJob> holders(QueueState queue) {
    return queue.holders().stream().filter(job -> job.hold() != null && job.hold().isForBlocked());
  }

  private long allot(QueueState queue, PoolState pool, long jobs, Map<PoolState, Double> wanted) {
    Elasticity elasticity = elasticity(pool);
    int fitting = elasticity == null ? 0 : pool.workersOnInstance(queue.shape());
    if (elasticity == null || fitting == 0) {
      return 0;
    }
    double each = queue.shape().workers() / (double) fitting;
    double room = most(pool, elasticity) - joined(pool) - wanted.getOrDefault(pool, 0.0);
    long served = Math.min(jobs, (long) Math.floor(room / each + ROUNDING));
    if (served <= 0) {
      return 0;
    }
    wanted.merge(pool, served * each, Double::sum);
    world.expectInstance(queue, queue.expects() == null ? pool : queue.expects());
    return served;
  }

  private static final double ROUNDING = 1e-9;

  /// How many of the queue's waiting jobs rights let start, with promises to others counted.
  private static long startable(QueueState queue, Map<Account, Long> promised) {
    long waiting = 0;
    for (Lane lane : queue.lanes()) {
      waiting += lane.gate() == Block.NONE ? lane.line().starts() : 0;
    }
    long need = queue.need();
    if (need == 0) {
      return waiting;
    }
    PolicyAccount account = queue.account();
    long rest =
        queue.overReservation()
            ? account.limit() - account.charged()
            : account.reservation() - account.usageWithoutStopping();
    rest -= promised.getOrDefault(account, 0L);
    Optional<DepartmentAccount> each = account.department();
    while (each.isPresent()) {
      DepartmentAccount department = each.get();
      long more = promised.getOrDefault(department, 0L);
      rest = Math.min(rest, department.limit() - department.charged() - more);
      if (!queue.overReservation()) {
        rest = Math.min(rest, department.reservation() - department.protectedUsage() - more);
      }
      each = department.parent();
    }
    return Math.min(waiting, Math.max(0, rest) / need);
  }

  private static void promise(QueueState queue, long units, Map<Account, Long> promised) {
    promised.merge(queue.account(), units, Long::sum);
    Optional<DepartmentAccount> each = queue.account().department();
    while (each.isPresent()) {
      promised.merge(each.get(), units, Long::sum);
      each = each.get().parent();
    }
  }

  /// How many of its jobs its tenant's rights in the pool let start (A3, A8).
  private static long startable(QueueState queue, Route route, long promised) {
    TenantAccount tenant = route.tenant();
    if (!tenant.isBound()) {
      return Long.MAX_VALUE;
    }
    long open = 0;
    for (Lane lane : queue.lanes()) {
      open += lane.gate() == Block.NONE && lane.routes().contains(route) ? lane.line().starts() : 0;
    }
    return queue.need() == 0 || !tenant.isLimited()
        ? open
        : Math.min(open, Math.max(0, tenant.limit() - tenant.charged() - promised) / queue.need());
  }

  private static boolean isOpen(Route route, LiveJob job) {
    return job.queue().routes(job).contains(route);
  }

  private void ask(PoolState pool, double wanted, Instant since) {
    Elasticity elasticity = elasticity(pool);
    if (elasticity == null) {
      return;
    }
    int here = joined(pool);
    int instances = Math.max(elasticity.minInstances(), here + (int) Math.ceil(wanted - ROUNDING));
    World.Asked before = world.asked.get(pool);
    int known = before == null ? here : before.instances();
    Optional<Instant> missing = instances > here ? Optional.of(since) : Optional.empty();
    world.asked.put(pool, new World.Asked(instances, missing));
    // An instance that leaves by itself, or joins as asked, needs no effect.
    if (instances != known && (instances != here || known > here)) {
      transitions.emit(new Effect.ScalePool(pool.id(), instances));
    }
  }

  /// Gives back instances that have idled for too long.
  ///
  /// @return how many
  private int giveBack(PoolState pool) {
    Elasticity elasticity = elasticity(pool);
    int here = joined(pool);
    int given = 0;
    for (NodeState node : List.copyOf(pool.nodes())) {
      if (elasticity == null || node.isRemoved() || node.isReleased()) {
        continue;
      }
      if (!node.shares().isEmpty()) {
        node.setIdleSince(null);
        continue;
      }
      Instant since = node.idleSince();
      if (since == null) {
        since = now;
        node.setIdleSince(now);
      }
      Instant due = since.plus(elasticity.idleTimeout());
      if (due.isAfter(now)) {
        wake.by(due);
      } else if (here - given > elasticity.minInstances()) {
        node.release();
        pool.refresh(node);
        transitions.emit(new Effect.ReleaseNode(node.id()));
        given++;
      }
    }
    return given;
  }
}
