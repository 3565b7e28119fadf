package io.headgate.scheduler.core.placement;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import io.headgate.scheduler.core.catalog.Elasticity;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.placement.policy.TaskMix;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// One pool: its nodes, grouped by their free capacity, and its use.
public final class PoolState implements Comparable<PoolState> {
  private final PoolId id;
  private final ExpectedTasks expectedTasks;
  private @Nullable Pool pool;
  private long ceiling;
  private final Map<ProfileId, Integer> executionPositions = new HashMap<>();
  private final TreeSet<NodeState> nodes = new TreeSet<>();

  /// Looked up in only, so its order does not matter.
  private final Map<NodeState, PoolEntry> entries = new HashMap<>();

  private final NodeLists lists = new NodeLists();
  private final Map<FreeState, StateGroup> groups = new HashMap<>();
  private final Map<Shape, Ranking> rankings = new LinkedHashMap<>();
  private final Map<Shape, Boolean> everFits = new HashMap<>();
  private final UnusableUnits unusable = new UnusableUnits();

  /// Groups in the order in which they came to be; each ranking reads it up to its own mark.
  final List<StateGroup> births = new ArrayList<>();

  /// Counts how often `births` was begun anew.
  int era;

  private final CapacityUse taken = new CapacityUse();
  private PoolTally tally = PoolTally.NOTHING;
  private long gains;
  private long version;
  private int attempts;

  /// @param policy what makes a place in it a good one
  public PoolState(PoolId id, PlacementPolicy policy) {
    this.id = id;
    this.expectedTasks = new ExpectedTasks(policy);
  }

  public PoolId id() {
    return id;
  }

  /// Absent while the pool is not provisioned; then nothing starts in it.
  public Optional<Pool> pool() {
    return Optional.ofNullable(pool);
  }

  /// Takes a new configuration.
  public void configure(@Nullable Pool newPool) {
    boolean sameDevices = sameDevices(pool, newPool);
    version++;
    pool = newPool;
    ceiling =
        newPool == null ? 0 : newPool.capacity().map(GpuQuantity::units).orElse(Long.MAX_VALUE);
    executionPositions.clear();
    if (newPool != null) {
      newPool
          .order()
          .forEach(each -> executionPositions.putIfAbsent(each, executionPositions.size()));
    }
    everFits.clear();
    gains++;
    if (sameDevices) {
      return;
    }
    for (NodeState node : nodes) {
      node.adopt(node.node(), this::wants);
      refresh(node);
    }
  }

  /// Sets the expected tasks, by which places are rated anew.
  public void expect(TaskMix mix) {
    if (expectedTasks.change(mix, groups.values())) {
      beginEra();
    }
  }

  /// Free units that are of no use to a task of the mix, on average.
  public long strandedUnits() {
    return expectedTasks.strandedUnits(groups.values());
  }

  /// The part of the units that idle below the ceiling that no job of its queues can take now.
  public long unusableUnits(long idle) {
    return unusable.of(rankings.keySet(), groups.values(), idle);
  }

  Rater rater() {
    return expectedTasks.rater();
  }

  private static boolean sameDevices(@Nullable Pool before, @Nullable Pool after) {
    if (before == null || after == null) {
      return before == null && after == null;
    }
    return before.gpuModel().equals(after.gpuModel());
  }

  /// Whether devices of the model belong to the pool.
  public boolean wants(String model) {
    return pool != null && pool.gpuModel().map(model::equals).orElse(true);
  }

  /// Whether only one policy may use it; then no job is ever preempted in it.
  public boolean isDedicated() {
    return pool != null && pool.dedicatedTo().isPresent();
  }

  public boolean admits(PolicyId policy) {
    return pool != null && pool.dedicatedTo().map(policy::equals).orElse(true);
  }

  /// The profile's place in the execution priority, 0 first (O2). Profiles that the pool's order
  /// does not name share one place, after the named ones.
  public int executionPosition(ProfileId profile) {
    return executionPositions.getOrDefault(profile, executionPositions.size());
  }

  public SortedSet<NodeState> nodes() {
    return nodes;
  }

  /// Nodes that take work on which something stops.
  public SortedSet<NodeState> stoppingNodes() {
    return lists.stopping();
  }

  /// Nodes that a new leader waits for.
  public SortedSet<NodeState> awaitedNodes() {
    return lists.awaited();
  }

  /// Counts whenever something changes that may make room: what failed at one count fails until the
  /// next.
  public long gains() {
    return gains;
  }

  /// Counts whenever something changes about its nodes or its configuration.
  public long version() {
    return version;
  }

  /// Nodes with unused devices that take no work.
  public DownNodes down() {
    return lists.down();
  }

  /// Units that its nodes that take work offer.
  public long offeredUnits() {
    return tally.offered();
  }

  /// Units free for anybody on nodes that take work, the ceiling not counted.
  public long idleUnits() {
    return tally.free();
  }

  /// The sums over its devices.
  public PoolTally tally() {
    return tally;
  }

  /// Units that attempts have.
  public long usedUnits() {
    return taken.live + taken.stopping;
  }

  /// The ceiling (A7) in units.
  public long ceiling() {
    return ceiling;
  }

  /// Whether this many more units stay within the ceiling, held capacity not counted.
  public boolean isBelowCeilingWith(long units) {
    return units == 0 || usedUnits() + units <= ceiling;
  }

  /// Whether the ceiling lets a job of this many units start now.
  public boolean hasRoom(long units) {
    return hasRoomWithout(0, units);
  }

  /// As [#hasRoom], as if a hold of `held` units left its share.
  public boolean hasRoomWithout(long held, long units) {
    return units == 0 ? pool != null : units <= taken.free(ceiling()) + held;
  }

  /// How much above the ceiling so much more would be when everything that stops has stopped; not
  /// above it: 0 or less.
  public long excessSoon(long units) {
    return units - taken.freeSoon(ceiling());
  }

  /// Whether a hold of so much can be used now, as far as the ceiling goes.
  ///
  /// @param older units of older holds
  public boolean isReady(long units, long older) {
    return units == 0 ? pool != null : taken.ready(ceiling(), units, older);
  }

  /// Adds to the pool's use; the node's own use is counted apart.
  public void add(Stake stake, long units) {
    taken.add(stake, units);
    if (units < 0) {
      gains++;
    }
  }

  public int attempts() {
    return attempts;
  }

  /// A number that changes with every start and end in the pool.
  long occupancy() {
    return 31L * attempts + taken.live;
  }

  public void countAttempt(int change) {
    attempts += change;
  }

  public Ranking ranking(Shape shape) {
    return rankings.computeIfAbsent(shape, key -> new Ranking(key, this));
  }

  /// Forgets rankings that no queue uses.
  public void retainRankings(Set<Ranking> used) {
    rankings.values().removeIf(ranking -> !used.contains(ranking));
  }

  /// Adds the node, or records any change of it.
  public void refresh(NodeState node) {
    version++;
    node.changed();
    PoolEntry entry = entries.get(node);
    if (entry == null) {
      entry = new PoolEntry(node);
      entries.put(node, entry);
      nodes.add(node);
    }
    StateGroup before = entry.group;
    FreeState state = node.takesWork() ? node.freeNow() : null;
    if (before != null && before.state().equals(state)) {
      // Its devices may have changed although its free capacity did not.
      count(entry, state);
      lists.track(entry);
      return;
    }
    if (before != null) {
      before.nodes().remove(node);
      if (before.isDead()) {
        groups.remove(before.state());
      }
    }
    entry.group = state == null ? null : groupOf(state);
    if (entry.group != null) {
      entry.group.nodes().add(node);
      gains++;
    }
    rater().moved(StateGroup.stateOf(before), state);
    for (Ranking ranking : rankings.values()) {
      ranking.moved(before, entry.group);
    }
    count(entry, state);
    lists.track(entry);
  }

  /// Forgets the node. Nothing may be taken of it.
  public void drop(NodeState node) {
    version++;
    everFits.clear();
    PoolEntry entry = entries.remove(node);
    if (entry == null) {
      return;
    }
    StateGroup before = entry.group;
    if (before != null) {
      before.nodes().remove(node);
      if (before.isDead()) {
        groups.remove(before.state());
      }
      rater().moved(StateGroup.stateOf(before), null);
      for (Ranking ranking : rankings.values()) {
        ranking.moved(before, null);
      }
    }
    entry.group = null;
    nodes.remove(node);
    count(entry, null);
    lists.forget(entry);
  }

  /// The node's inventory changed: what never fitted may fit now.
  public void inventoryChanged() {
    everFits.clear();
  }

  NodeLists lists() {
    return lists;
  }

  /// Units of GPU that one instance of it brings; 0 when it is static.
  public long instanceUnits() {
    return elastic().map(known -> known.instance().gpus() * UNITS_PER_GPU).orElse(0L);
  }

  /// How many workers of the shape fit on one instance of it; 0 when it is static.
  public int workersOnInstance(Shape shape) {
    return elastic()
        .map(Elasticity::instance)
        .filter(instance -> instance.gpus() == 0 || wants(instance.gpuModel()))
        .map(instance -> Inventory.workers(instance, shape))
        .orElse(0);
  }

  private Optional<Elasticity> elastic() {
    return pool == null ? Optional.empty() : pool.elasticity();
  }

  private void count(PoolEntry entry, @Nullable FreeState state) {
    PoolTally now =
        nodes.contains(entry.node) ? PoolTally.of(entry.node, state) : PoolTally.NOTHING;
    lists.down().keep(entry, now);
    tally = tally.minus(entry.tally).plus(now);
    entry.tally = now;
  }

  private StateGroup groupOf(FreeState state) {
    StateGroup group = groups.get(state);
    if (group == null) {
      group = new StateGroup(state);
      groups.put(state, group);
      if (births.size() > 4 * groups.size() + 1024) {
        beginEra();
      } else {
        births.add(group);
      }
    }
    return group;
  }

  /// Forgets the dead groups, so that the list is bounded by the living.
  private void beginEra() {
    births.clear();
    births.addAll(groups.values());
    era++;
  }

  /// Its groups, in no particular order.
  List<StateGroup> groups() {
    return new ArrayList<>(groups.values());
  }

  /// The best place for a job of the shape now; empty when there is none or the ceiling forbids it.
  public Optional<Assignment> place(Ranking ranking) {
    return placeWithout(0, ranking);
  }

  /// As [#place], as if a hold of `held` units left its share under the ceiling.
  public Optional<Assignment> placeWithout(long held, Ranking ranking) {
    Shape shape = ranking.shape();
    if (!hasRoomWithout(held, shape.needUnits()) || ranking.workers() < shape.workers()) {
      return Optional.empty();
    }
    return Optional.of(
        shape.isGang()
            ? GangPlacement.place(this, shape, Map.of())
            : new Assignment(
                id, List.of(Room.now(ranking.bestNode()).take(shape, rater()).orElseThrow())));
  }

  /// Takes the best place for one worker in a room of this pool; empty when none fits.
  public Optional<WorkerPlace> take(Room room, Shape shape) {
    return room.take(shape, rater());
  }

  /// Whether one worker of the shape may fit some node when nothing else is on it.
  public boolean everFits(Shape shape) {
    return everFits.computeIfAbsent(
        shape,
        key ->
            elastic().isPresent()
                ? workersOnInstance(key) > 0 || Inventory.someFits(nodes, key)
                : Inventory.mayFit(nodes, key));
  }

  @Override
  public int compareTo(PoolState other) {
    return id.compareTo(other.id);
  }
}
