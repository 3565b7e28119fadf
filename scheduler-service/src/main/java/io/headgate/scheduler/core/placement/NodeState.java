package io.headgate.scheduler.core.placement;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import io.headgate.scheduler.core.catalog.PoolId;
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
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// One node: its inventory, its use, and the owners of the used parts.
///
/// It knows nothing of pools: a caller that changes it passes it to [PoolState#refresh] afterwards.
public final class NodeState implements Comparable<NodeState> {
  /// One job's share of a node. A job of several workers may have several.
  public record Share(JobId job, WorkerPlace place, Stake stake) {}

  private Node node;
  private boolean removed;
  private long version;
  private final Rejections rejections = new Rejections();
  private boolean released;
  private @Nullable Instant idleSince;
  private DeviceState[] devices = {};
  private boolean hasSliced;
  private final CapacityUse cpu = new CapacityUse();
  private final CapacityUse memory = new CapacityUse();
  private final List<Share> shares = new ArrayList<>();
  private int stoppingShares;
  private int heldShares;

  /// @param wants whether devices of a model belong to the node's pool
  public NodeState(Node node, Predicate<String> wants) {
    this.node = node;
    adopt(node, wants);
  }

  /// A node that something runs on but whose inventory is not known: it takes no work.
  public static NodeState unknown(NodeId id, PoolId pool) {
    Node nothing = new Node(id, pool, List.of(), 0, 0, NodeStatus.SUSPECT);
    NodeState state = new NodeState(nothing, model -> false);
    state.remove();
    return state;
  }

  /// Takes a new inventory. Devices that are gone but still in use stay known, and offer nothing.
  ///
  /// @param wants whether devices of a model belong to the node's pool
  public void adopt(Node newNode, Predicate<String> wants) {
    node = newNode;
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
          .offer(device, wants.test(device.model()));
    }
    devices = known.values().toArray(DeviceState[]::new);
    recountPlaces();
  }

  private void recountPlaces() {
    hasSliced = false;
    for (DeviceState device : devices) {
      hasSliced |= device.isSliced();
    }
    if (!hasSliced) {
      return;
    }
    for (Share share : shares) {
      for (Slice slice : share.place().slices()) {
        deviceOf(slice).place(slice, share.stake(), 1);
      }
    }
  }

  /// Counts its changes, as far as its pool was told.
  public long version() {
    return version;
  }

  /// Its pool takes note of a change.
  void changed() {
    version++;
  }

  /// Whether some device of it has places.
  boolean hasSliced() {
    return hasSliced;
  }

  public NodeId id() {
    return node.id();
  }

  public Node node() {
    return node;
  }

  public PoolId poolId() {
    return node.pool();
  }

  /// The node has left for good; it stays known while something is taken of it.
  public void remove() {
    removed = true;
    rejections.takeBack();
    rejections.refute();
  }

  public void restore() {
    removed = false;
    released = false;
    idleSince = null;
  }

  public boolean isRemoved() {
    return removed;
  }

  /// Whether it gets new work.
  public boolean takesWork() {
    return gets(NodeStatus.READY);
  }

  /// Whether it will get new work as soon as it has reported to a new leader.
  public boolean isAwaited() {
    return gets(NodeStatus.AWAITED);
  }

  /// Whether it gets new work, or will as soon as it has reported to a new leader.
  public boolean willTakeWork() {
    return takesWork() || isAwaited();
  }

  private boolean gets(NodeStatus status) {
    return !removed && !released && node.status() == status && !rejections.isAside();
  }

  /// Since when nothing is on it; kept for nodes of elastic pools only.
  public @Nullable Instant idleSince() {
    return idleSince;
  }

  public void setIdleSince(@Nullable Instant since) {
    idleSince = since;
  }

  /// It is given back to its provider: it gets no work and will be removed.
  public void release() {
    released = true;
  }

  public boolean isReleased() {
    return released;
  }

  /// The jobs that it rejected, and until when it is set aside for that.
  public Rejections rejections() {
    return rejections;
  }

  public int deviceCount() {
    return devices.length;
  }

  /// Units of its devices that belong to its pool.
  long offeredUnits() {
    long offered = 0;
    for (DeviceState device : devices) {
      offered += device.kind() == null ? 0 : UNITS_PER_GPU;
    }
    return offered;
  }

  /// Units that are free when everything that stops has stopped.
  public long freeUnitsSoon() {
    long free = 0;
    for (DeviceState device : devices) {
      free += Math.max(0, device.freeUnitsSoon());
    }
    return free;
  }

  public DeviceState device(int slot) {
    return devices[slot];
  }

  private DeviceState deviceOf(Slice slice) {
    // First the slot: finding it may add a device.
    int slot = slot(slice.device());
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

  /// The usage of its processors.
  CapacityUse cpu() {
    return cpu;
  }

  /// The usage of its main memory.
  CapacityUse memory() {
    return memory;
  }

  long freeCpu() {
    return cpu.free(node.cpuMillis());
  }

  /// The processors that are free when everything that stops has stopped.
  public long freeCpuSoon() {
    return cpu.freeSoon(node.cpuMillis());
  }

  /// The free capacity of the node now, without names.
  FreeState freeNow() {
    return FreeState.now(new FreeState.Whole(freeCpu(), freeMemory(), node.runsImages()), devices);
  }

  long freeMemory() {
    return memory.free(node.memoryBytes());
  }

  /// The same of its main memory.
  public long freeMemorySoon() {
    return memory.freeSoon(node.memoryBytes());
  }

  public long usedCpu() {
    return cpu.live + cpu.stopping;
  }

  public long usedMemory() {
    return memory.live + memory.stopping;
  }

  /// All shares, in the order in which they were added.
  public List<Share> shares() {
    return Collections.unmodifiableList(shares);
  }

  /// Whether some of its capacity is held.
  boolean hasHeld() {
    return heldShares > 0;
  }

  /// Whether something here was asked to stop.
  public boolean hasStopping() {
    return stoppingShares > 0;
  }

  public void add(JobId job, WorkerPlace place, Stake stake) {
    shares.add(new Share(job, place, stake));
    account(place, stake, 1);
  }

  public void remove(JobId job, WorkerPlace place, Stake stake) {
    for (int i = 0; i < shares.size(); i++) {
      Share share = shares.get(i);
      if (share.stake() == stake && share.job().equals(job) && share.place().equals(place)) {
        shares.remove(i);
        account(place, stake, -1);
        return;
      }
    }
    throw new IllegalStateException(
        "job %s has no share %s of node %s".formatted(job, stake, id()));
  }

  private void account(WorkerPlace place, Stake stake, int sign) {
    for (Slice slice : place.slices()) {
      DeviceState device = deviceOf(slice);
      device.units.add(stake, sign * slice.quantity().units());
      device.memory.add(stake, sign * slice.memoryBytes());
      device.place(slice, stake, sign);
    }
    cpu.add(stake, sign * place.cpuMillis());
    memory.add(stake, sign * place.memoryBytes());
    if (stake == Stake.STOPPING) {
      stoppingShares += sign;
    }
    if (stake == Stake.HELD) {
      heldShares += sign;
    }
  }

  /// Whether attempts have more of a device than there is: two have the same slice.
  public boolean isOvercommitted() {
    for (DeviceState device : devices) {
      if (device.units.live + device.units.stopping > UNITS_PER_GPU || device.isOverlapped()) {
        return true;
      }
    }
    return false;
  }

  /// Whether all places of a hold on this node can be used now: neither what still stops nor an
  /// older hold is in the way.
  public boolean isReady(List<WorkerPlace> places, List<WorkerPlace> older) {
    return takesWork() && HoldReadiness.areReady(this, places, older);
  }

  /// Whether the devices of these slices are unused, not held, and may be given away.
  public boolean isIdle(List<Slice> slices) {
    for (Slice slice : slices) {
      DeviceState device = deviceOf(slice);
      if (!device.isOffered() || !device.units.isEmpty()) {
        return false;
      }
    }
    return takesWork();
  }

  /// Whether these are still the devices of the slices, in service or not.
  public boolean stillHasDevicesOf(List<Slice> slices) {
    for (Slice slice : slices) {
      if (!deviceOf(slice).uuid().equals(slice.uuid())) {
        return false;
      }
    }
    return true;
  }

  /// Whether each device of the places may be given away, now or when it is free.
  public boolean offers(List<WorkerPlace> places) {
    return HoldReadiness.areOffered(this, places);
  }

  @Override
  public int compareTo(NodeState other) {
    return this == other ? 0 : id().compareTo(other.id());
  }
}
