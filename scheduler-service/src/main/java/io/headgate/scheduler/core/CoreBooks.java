package io.headgate.scheduler.core;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.ledger.Books;
import io.headgate.scheduler.core.ledger.Holding;
import io.headgate.scheduler.core.ledger.Price;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.placement.DeviceState;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.PoolTally;
import io.headgate.scheduler.core.placement.UnusedSlices;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.rights.DepartmentAccount;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Answers the usage ledger from the world.
final class CoreBooks implements Books {
  private static final Rights NONE = new Rights(0, Long.MAX_VALUE, List.of(), Optional.empty());

  private final World world;
  private final Function<PoolId, Optional<Price>> prices;

  CoreBooks(World world, Function<PoolId, Optional<Price>> prices) {
    this.world = world;
    this.prices = prices;
  }

  @Override
  public Rights rights(PolicyId id) {
    PolicyAccount account = world.accounts.get(id);
    if (account == null || account.policy().isEmpty()) {
      return NONE;
    }
    Policy policy = account.policy().get();
    List<String> departments = new ArrayList<>();
    Optional<DepartmentAccount> above = account.department();
    while (above.isPresent()) {
      departments.add(above.get().id().name());
      above = above.get().parent();
    }
    return new Rights(
        policy.presentReservation().units(), policy.limit().units(), departments, policy.group());
  }

  @Override
  public Optional<Price> price(PoolId pool) {
    return prices.apply(pool);
  }

  @Override
  public void pools(PoolVisitor visitor) {
    for (PoolState pool : world.pools.values()) {
      visitor.visit(pool.id(), pool.version(), pool.usedUnits());
    }
  }

  @Override
  public Figures figures(PoolId id) {
    PoolState pool = world.pools.get(id);
    if (pool == null) {
      return new Figures(0, 0, 0, 0, -1);
    }
    PoolTally tally = pool.tally();
    return new Figures(
        pool.usedUnits(), tally.held(), tally.idle(), tally.down(), pool.down().version());
  }

  @Override
  public SortedSet<NodeId> down(PoolId id) {
    PoolState pool = world.pools.get(id);
    return pool == null ? new TreeSet<>() : new TreeSet<>(pool.down().nodes().keySet());
  }

  @Override
  public Optional<SortedSet<NodeId>> downChanges(PoolId id, long version) {
    return Optional.ofNullable(world.pools.get(id))
        .flatMap(pool -> pool.down().changedSince(version));
  }

  @Override
  public List<Slice> down(PoolId id, NodeId node) {
    return Optional.ofNullable(world.pools.get(id))
        .map(pool -> pool.down().nodes().get(node))
        .map(UnusedSlices::down)
        .orElse(List.of());
  }

  @Override
  public List<Slice> awaited(PoolId pool, NodeId id) {
    NodeState node = world.nodes.get(id);
    return node == null || !node.poolId().equals(pool) ? List.of() : UnusedSlices.awaited(node);
  }

  @Override
  public long unusable(PoolId id) {
    PoolState pool = world.pools.get(id);
    if (pool == null) {
      return 0;
    }
    PoolTally tally = pool.tally();
    long below = Math.max(0, pool.ceiling() - pool.usedUnits() - tally.held());
    long startable = Math.min(tally.idle(), below);
    return tally.idle() - startable + pool.unusableUnits(startable);
  }

  @Override
  public List<PolicyId> policies() {
    List<PolicyId> provisioned = new ArrayList<>();
    for (PolicyAccount account : world.accounts.values()) {
      if (account.policy().isPresent()) {
        provisioned.add(account.id());
      }
    }
    return provisioned;
  }

  @Override
  public List<Holding> held(PoolId id) {
    PoolState pool = world.pools.get(id);
    if (pool == null) {
      return List.of();
    }
    Map<DeviceState, Long> left = new HashMap<>();
    List<Holding> held = new ArrayList<>();
    add(pool, world.holds.values(), left, held);
    add(pool, world.returningPlaces.values(), left, held);
    return held;
  }

  private static void add(
      PoolState pool, Collection<LiveHold> holds, Map<DeviceState, Long> left, List<Holding> held) {
    for (LiveHold hold : holds) {
      if (hold.pool() == pool) {
        Map<NodeState, List<Slice>> free = new LinkedHashMap<>();
        for (int worker = 0; worker < hold.nodes().size(); worker++) {
          NodeState node = hold.nodes().get(worker);
          List<Slice> slices = hold.hold().place().workers().get(worker).slices();
          free.computeIfAbsent(node, _ -> new ArrayList<>()).addAll(free(node, slices, left));
        }
        List<WorkerPlace> places = new ArrayList<>();
        free.forEach((node, slices) -> {
          if (!slices.isEmpty()) {
            places.add(new WorkerPlace(node.id(), slices, 0, 0));
          }
        });
        if (!places.isEmpty()) {
          held.add(holding(hold, places));
        }
      }
    }
  }

  /// The free parts of held slices. Older holds come first on a device that is partly in use.
  private static List<Slice> free(NodeState node, List<Slice> slices, Map<DeviceState, Long> left) {
    List<Slice> free = new ArrayList<>();
    for (Slice slice : slices) {
      DeviceState device = node.device(node.slot(slice.device()));
      long unheld = left.computeIfAbsent(device, key -> held(node, key));
      long part = Math.min(unheld, slice.quantity().units());
      if (part > 0) {
        left.put(device, unheld - part);
        free.add(new Slice(slice.device(), slice.uuid(), new GpuQuantity(part), 0));
      }
    }
    return free;
  }

  private static long held(NodeState node, DeviceState device) {
    return node.willTakeWork() && device.isOffered()
        ? Math.max(0, UNITS_PER_GPU - device.usedUnits()) - Math.max(0, device.idleUnits())
        : 0;
  }

  private static Holding holding(LiveHold hold, List<WorkerPlace> places) {
    LiveJob job = hold.job();
    return new Holding(
        job.id(),
        0,
        hold.policy().id(),
        job.queue().id(),
        job.queue().resolved().map(resolved -> resolved.profile().id()).orElseThrow(),
        job.user(),
        new Assignment(hold.pool().id(), places));
  }

  @Override
  public Waiting waiting(PolicyId policy) {
    PolicyAccount account = world.accounts.get(policy);
    if (account == null) {
      return new Waiting(0, Optional.empty());
    }
    long units = 0;
    @Nullable LiveJob first = null;
    for (QueueState queue : world.queuesOf.getOrDefault(account, List.of())) {
      if (queue.candidates() > 0 && queue.resolved().isPresent()) {
        long need = queue.shape().needUnits();
        units += need * queue.candidates();
        LiveJob head = need > 0 ? UsageReport.head(queue) : null;
        if (head != null) {
          first = UsageReport.earlier(first, head);
        }
      }
    }
    return new Waiting(
        units,
        Optional.ofNullable(first).flatMap(job -> Reasons.of(world, job)).map(each -> each.code()));
  }

  @Override
  public Optional<PolicyId> policyOf(QueueId queue) {
    return Optional.ofNullable(world.knownQueue(queue))
        .filter(known -> known.resolved().isPresent())
        .map(known -> known.account().id());
  }
}
