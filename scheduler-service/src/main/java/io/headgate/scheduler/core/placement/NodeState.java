package io.headgate.scheduler.core.placement;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/// One node: its inventory, what is taken of it and by whom.
///
/// Whoever changes it tells its pool afterwards ([PoolState#refresh]).
public final class NodeState implements Comparable<NodeState> {
  /// One job's share of a node. A job of several workers may have several.
  public record Share(JobId job, WorkerPlace place, Stake stake) {}

  private Node node;
  private PoolState pool;
  private boolean removed;
  private Instant asideUntil = Instant.MIN;
  private int rejections;
  private DeviceState[] devices = {};
  private final Taken cpu = new Taken();
  private final Taken memory = new Taken();
  private final List<Share> shares = new ArrayList<>();
  private int stoppingShares;

  /// What its pool last knew of it.
  final PoolEntry entry = new PoolEntry();

  public NodeState(Node node, PoolState pool) {
    this.node = node;
    this.pool = pool;
    adopt(node, pool);
  }

  /// A node that something runs on but whose inventory is not known: it takes no work.
  public static NodeState unknown(NodeId id, PoolState pool) {
    Node nothing = new Node(id, pool.id(), List.of(), 0, 0, NodeStatus.SUSPECT);
    NodeState state = new NodeState(nothing, pool);
    state.remove();
    return state;
  }

  /// Takes a new inventory. Devices that are gone but still in use stay known, and offer nothing.
  public void adopt(Node newNode, PoolState newPool) {
    node = newNode;
    pool = newPool;
    TreeMap<Integer, DeviceState> known = new TreeMap<>();
    for (DeviceState device : devices) {
      if (!device.units.isEmpty() || !device.memory.isEmpty()) {
        device.offer(null, false);
        known.put(device.index(), device);
      }
    }
    for (Device device : newNode.devices()) {
      known
          .computeIfAbsent(device.index(), DeviceState::new)
          .offer(device, newPool.wants(device.model()));
    }
    devices = known.values().toArray(DeviceState[]::new);
  }

  public NodeId id() {
    return node.id();
  }

  public Node node() {
    return node;
  }

  public PoolState pool() {
    return pool;
  }

  /// The node has left for good; it stays known while something is taken of it.
  public void remove() {
    removed = true;
    asideUntil = Instant.MIN;
    rejections = 0;
  }

  public void restore() {
    removed = false;
  }

  public boolean isRemoved() {
    return removed;
  }

  /// Whether it gets new work.
  public boolean takesWork() {
    return !removed && node.status() == NodeStatus.READY && asideUntil.equals(Instant.MIN);
  }

  /// Gives it no work until then, because it rejected some.
  public void setAside(Instant until, int inARow) {
    asideUntil = until;
    rejections = inARow;
  }

  /// Gives it work again; its rejections stay counted until it accepts some.
  public void takeBack() {
    asideUntil = Instant.MIN;
  }

  public void accepted() {
    rejections = 0;
  }

  public Optional<Instant> asideUntil() {
    return asideUntil.equals(Instant.MIN) ? Optional.empty() : Optional.of(asideUntil);
  }

  public int rejections() {
    return rejections;
  }

  public int deviceCount() {
    return devices.length;
  }

  public DeviceState device(int slot) {
    return devices[slot];
  }

  /// The slot of the device with the index.
  public int slot(int index) {
    // Nearly always the devices are numbered from 0 without gaps.
    if (index < devices.length && devices[index].index() == index) {
      return index;
    }
    for (int slot = 0; slot < devices.length; slot++) {
      if (devices[slot].index() == index) {
        return slot;
      }
    }
    return addUnknownDevice(index);
  }

  private int addUnknownDevice(int index) {
    List<DeviceState> all = new ArrayList<>(List.of(devices));
    DeviceState unknown = new DeviceState(index);
    int at = 0;
    while (at < all.size() && all.get(at).index() < index) {
      at++;
    }
    all.add(at, unknown);
    devices = all.toArray(DeviceState[]::new);
    return at;
  }

  long freeCpu() {
    return cpu.free(node.cpuMillis());
  }

  long freeCpuSoon() {
    return cpu.freeSoon(node.cpuMillis());
  }

  long freeMemory() {
    return memory.free(node.memoryBytes());
  }

  long freeMemorySoon() {
    return memory.freeSoon(node.memoryBytes());
  }

  public long usedCpu() {
    return cpu.live + cpu.stopping;
  }

  public long usedMemory() {
    return memory.live + memory.stopping;
  }

  /// Everybody who has a share, in the order in which they got it.
  public List<Share> shares() {
    return Collections.unmodifiableList(shares);
  }

  /// Whether something here was asked to stop.
  boolean hasStopping() {
    return stoppingShares > 0;
  }

  public void add(JobId job, WorkerPlace place, Stake stake) {
    shares.add(new Share(job, place, stake));
    account(place, stake, 1);
  }

  public void remove(JobId job, WorkerPlace place, Stake stake) {
    if (!shares.remove(new Share(job, place, stake))) {
      throw new IllegalStateException(
          "job %s has no share %s of node %s".formatted(job, stake, id()));
    }
    account(place, stake, -1);
  }

  private void account(WorkerPlace place, Stake stake, int sign) {
    for (Slice slice : place.slices()) {
      // First the slot: finding it may add a device.
      int slot = slot(slice.device());
      DeviceState device = devices[slot];
      device.units.add(stake, sign * slice.quantity().units());
      device.memory.add(stake, sign * slice.memoryBytes());
    }
    cpu.add(stake, sign * place.cpuMillis());
    memory.add(stake, sign * place.memoryBytes());
    if (stake == Stake.STOPPING) {
      stoppingShares += sign;
    }
  }

  /// Whether attempts have more of a device than there is: two have the same slice.
  public boolean isOvercommitted() {
    for (DeviceState device : devices) {
      if (device.units.live + device.units.stopping > UNITS_PER_GPU) {
        return true;
      }
    }
    return false;
  }

  /// Whether all places of a hold on this node can be used now: neither what still stops nor an
  /// older hold is in the way.
  public boolean isReady(List<WorkerPlace> places, List<WorkerPlace> older) {
    if (!takesWork()) {
      return false;
    }
    if (!cpu.ready(node.cpuMillis(), cpuOf(places), cpuOf(older))
        || !memory.ready(node.memoryBytes(), memoryOf(places), memoryOf(older))) {
      return false;
    }
    for (DeviceState device : devices) {
      long part = unitsOf(places, device);
      DeviceKind kind = device.kind();
      if (part > 0
          && (kind == null
              || !device.units.ready(UNITS_PER_GPU, part, unitsOf(older, device))
              || !device.memory.ready(
                  kind.memoryBytes(), memoryOf(places, device), memoryOf(older, device)))) {
        return false;
      }
    }
    return true;
  }

  private static long cpuOf(List<WorkerPlace> places) {
    long sum = 0;
    for (WorkerPlace place : places) {
      sum += place.cpuMillis();
    }
    return sum;
  }

  private static long memoryOf(List<WorkerPlace> places) {
    long sum = 0;
    for (WorkerPlace place : places) {
      sum += place.memoryBytes();
    }
    return sum;
  }

  private static long unitsOf(List<WorkerPlace> places, DeviceState device) {
    long sum = 0;
    for (WorkerPlace place : places) {
      for (Slice slice : place.slices()) {
        sum += slice.device() == device.index() ? slice.quantity().units() : 0;
      }
    }
    return sum;
  }

  private static long memoryOf(List<WorkerPlace> places, DeviceState device) {
    long sum = 0;
    for (WorkerPlace place : places) {
      for (Slice slice : place.slices()) {
        sum += slice.device() == device.index() ? slice.memoryBytes() : 0;
      }
    }
    return sum;
  }

  @Override
  public int compareTo(NodeState other) {
    return this == other ? 0 : id().compareTo(other.id());
  }
}
