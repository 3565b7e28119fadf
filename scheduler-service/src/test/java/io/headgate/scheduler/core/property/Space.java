package io.headgate.scheduler.core.property;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import io.headgate.scheduler.core.catalog.Elasticity;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.StopOutcome;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Geometry;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Free room (A6, A7), counted anew from the records of a [Shadow] every time.
final class Space {
  /// One worker's share of a node.
  ///
  /// @param attempt absent: it is held
  /// @param blocked held under O7, so that it may lie on running attempts
  private record Share(
      Optional<AttemptId> attempt, boolean stopping, boolean blocked, WorkerPlace place) {}

  /// Which shares do not count.
  ///
  /// @param soon whether shares of stopping attempts are left out
  /// @param held those of holds
  record Without(boolean soon, boolean held, Set<AttemptId> removed) {
    static final Without NOTHING = new Without(false, false, Set.of());
    static final Without STOPPING = new Without(true, false, Set.of());

    static Without stoppingAnd(Set<AttemptId> removed) {
      return new Without(true, false, removed);
    }

    private boolean leavesOut(Share share) {
      return share.attempt().isEmpty()
          ? held
          : (soon && share.stopping()) || removed.contains(share.attempt().get());
    }
  }

  private record Question(PoolId pool, Profile profile, Without without) {}

  private final Shadow shadow;
  private final Map<NodeId, List<Share>> byNode = new HashMap<>();
  private final Map<PoolId, List<Share>> byPool = new HashMap<>();
  private final Map<Question, Boolean> answers = new HashMap<>();

  /// @param ignored jobs whose holds are not there
  Space(Shadow shadow, Set<JobId> ignored) {
    this.shadow = shadow;
    for (Attempt attempt : shadow.attempts.values()) {
      boolean stopping = attempt.stop().isPresent();
      boolean kept =
          attempt.stop().filter(order -> order.outcome() == StopOutcome.SUSPEND).isPresent();
      for (WorkerPlace place : attempt.assignment().workers()) {
        for (WorkerPlace part : parts(place, kept, Shadow.isSuspended(attempt))) {
          boolean leaves = stopping && !(kept && part.slices().isEmpty());
          add(
              attempt.assignment().pool(),
              new Share(Optional.of(attempt.id()), leaves, false, part));
        }
      }
    }
    List<Hold> holds = new ArrayList<>(shadow.holds.values());
    holds.addAll(shadow.returning.values());
    for (Hold hold : holds) {
      if (!ignored.contains(hold.job())) {
        for (WorkerPlace place : hold.place().workers()) {
          add(hold.place().pool(), new Share(Optional.empty(), false, hold.isForBlocked(), place));
        }
      }
    }
  }

  /// A suspended attempt keeps its main memory and processors, also while the suspension is only
  /// tried.
  private static List<WorkerPlace> parts(WorkerPlace place, boolean kept, boolean suspended) {
    WorkerPlace slices = new WorkerPlace(place.node(), place.slices(), 0, 0);
    WorkerPlace rest =
        new WorkerPlace(place.node(), List.of(), place.cpuMillis(), place.memoryBytes());
    return suspended ? List.of(rest) : kept ? List.of(slices, rest) : List.of(place);
  }

  /// Whether no attempt and no hold has any of these devices, which their pool offers.
  boolean isIdle(WorkerPlace place) {
    Node node = shadow.nodes.get(place.node());
    return node != null
        && shadow.takesWork(node)
        && isInService(node, place)
        && place.slices().stream().allMatch(slice -> isOfItsPool(node, slice))
        && place.slices().stream()
            .allMatch(slice ->
                byNode.getOrDefault(node.id(), List.of()).stream()
                    .flatMap(share -> share.place().slices().stream())
                    .noneMatch(other -> other.device() == slice.device()));
  }

  private boolean isOfItsPool(Node node, Slice slice) {
    Optional<String> model = shadow.pool(node.pool()).flatMap(Pool::gpuModel);
    return node.devices().stream()
        .filter(device -> device.index() == slice.device())
        .allMatch(device -> model.map(device.model()::equals).orElse(true));
  }

  private void add(PoolId pool, Share share) {
    byNode.computeIfAbsent(share.place().node(), key -> new ArrayList<>()).add(share);
    byPool.computeIfAbsent(pool, key -> new ArrayList<>()).add(share);
  }

  static long ceiling(Pool pool) {
    return pool.capacity().map(GpuQuantity::units).orElse(Long.MAX_VALUE / 4);
  }

  /// Units of GPU that are taken of the pool.
  long taken(Pool pool, Without without) {
    long units = 0;
    for (Share share : byPool.getOrDefault(pool.id(), List.of())) {
      units += without.leavesOut(share) ? 0 : share.place().units();
    }
    return units;
  }

  boolean isBelowCeiling(Pool pool, Profile profile, Without without) {
    long need = profile.need().units();
    return need == 0 || taken(pool, without) + need <= ceiling(pool);
  }

  boolean fits(Pool pool, Profile profile, Without without) {
    return answers.computeIfAbsent(
        new Question(pool.id(), profile, without),
        key ->
            isBelowCeiling(pool, profile, without)
                && workers(pool, profile, without) >= profile.workers());
  }

  private long workers(Pool pool, Profile profile, Without without) {
    long workers = 0;
    for (Node node : shadow.nodes.values()) {
      if (node.pool().equals(pool.id()) && shadow.takesWork(node)) {
        workers += workers(node, pool, profile, without);
      }
    }
    return workers;
  }

  /// Workers that fit on the node: one after the other into what is left.
  int workers(Node node, Pool pool, Profile profile, Without without) {
    if (profile.images() && !node.runsImages()) {
      return 0;
    }
    List<Device> devices = new ArrayList<>();
    for (Device device : node.devices()) {
      if (device.inService()
          && pool.gpuModel().map(device.model()::equals).orElse(true)
          && (profile.gpuModels().isEmpty() || profile.gpuModels().contains(device.model()))) {
        devices.add(device);
      }
    }
    long[] units = new long[devices.size()];
    long[] memory = new long[devices.size()];
    for (int i = 0; i < units.length; i++) {
      units[i] = UNITS_PER_GPU;
      memory[i] = devices.get(i).memoryBytes();
    }
    int[] places = places(node, devices, profile, without);
    long cpu = node.cpuMillis();
    long main = node.memoryBytes();
    for (Share share : byNode.getOrDefault(node.id(), List.of())) {
      if (without.leavesOut(share)) {
        continue;
      }
      cpu -= share.place().cpuMillis();
      main -= share.place().memoryBytes();
      for (Slice slice : share.place().slices()) {
        for (int i = 0; i < units.length; i++) {
          if (devices.get(i).index() == slice.device()) {
            units[i] -= slice.quantity().units();
            memory[i] -= slice.memoryBytes();
          }
        }
      }
    }
    int fitting = 0;
    while (fitting < profile.workers()
        && (profile.cpuMillis() == 0 || cpu >= profile.cpuMillis())
        && (profile.memoryBytes() == 0 || main >= profile.memoryBytes())
        && takeDevices(profile, devices, units, memory, places)) {
      cpu -= profile.cpuMillis();
      main -= profile.memoryBytes();
      fitting++;
    }
    return fitting;
  }

  /// How many parts fit on each device by its places; of one without places any number.
  private int[] places(Node node, List<Device> devices, Profile profile, Without without) {
    int[] places = new int[devices.size()];
    for (int i = 0; i < places.length; i++) {
      Device device = devices.get(i);
      places[i] =
          Slices.isSliced(device) && profile.gpus().isFraction()
              ? Slices.fitting(device, slices(node, device, without), profile)
              : Integer.MAX_VALUE;
    }
    return places;
  }

  private List<Slice> slices(Node node, Device device, Without without) {
    List<Slice> slices = new ArrayList<>();
    for (Share share : byNode.getOrDefault(node.id(), List.of())) {
      for (Slice slice : share.place().slices()) {
        if (slice.device() == device.index() && !without.leavesOut(share)) {
          slices.add(slice);
        }
      }
    }
    return slices;
  }

  private static boolean takeDevices(
      Profile profile, List<Device> devices, long[] units, long[] memory, int[] places) {
    long want = profile.gpus().units();
    if (want == 0) {
      return true;
    }
    if (want < UNITS_PER_GPU) {
      for (int i = 0; i < units.length; i++) {
        long need =
            profile.gpuMemoryBytes().orElse(devices.get(i).memoryBytes() * want / UNITS_PER_GPU);
        if (Slices.isSliced(devices.get(i))) {
          if (places[i]-- > 0) {
            return true;
          }
        } else if (units[i] >= want
            && memory[i] >= need
            && devices.get(i).isolation().compareTo(profile.isolation()) >= 0) {
          units[i] -= want;
          memory[i] -= need;
          return true;
        }
      }
      return false;
    }
    int missing = (int) (want / UNITS_PER_GPU);
    int[] idle = new int[missing];
    for (int i = 0; i < units.length && missing > 0; i++) {
      if (units[i] == UNITS_PER_GPU
          && memory[i] == devices.get(i).memoryBytes()
          && memory[i] >= profile.gpuMemoryBytes().orElse(0)) {
        idle[--missing] = i;
      }
    }
    if (missing > 0) {
      return false;
    }
    for (int slot : idle) {
      units[slot] = 0;
    }
    return true;
  }

  /// Whole devices that are free after all stopping attempts and the removed ones have gone.
  long wholeDevices(Pool pool, Set<AttemptId> removed) {
    long idle = 0;
    for (Node node : shadow.nodes.values()) {
      if (node.pool().equals(pool.id()) && shadow.takesWork(node)) {
        for (Device device : node.devices()) {
          boolean free = taken(node, device, Without.stoppingAnd(removed)) == 0;
          idle += device.inService() && free ? 1 : 0;
        }
      }
    }
    return idle;
  }

  /// Workers of the profile on an empty instance of an elastic pool; 0 when it is static.
  int workersOnInstance(Pool pool, Profile profile) {
    if (pool.elasticity().isEmpty()) {
      return 0;
    }
    Node node = instance(pool, pool.elasticity().get(), "instance");
    Profile many = profile.with().workers(1000).build();
    return new Space(new Shadow(shadow.catalog), Set.of())
        .workers(node, pool, many, Without.NOTHING);
  }

  static Node instance(Pool pool, Elasticity elasticity, String name) {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < elasticity.instance().gpus(); i++) {
      devices.add(
          new Device(
              i,
              name + "-" + i,
              elasticity.instance().gpuModel(),
              elasticity.instance().gpuMemoryBytes(),
              new Geometry.Continuous(),
              elasticity.instance().isolation()));
    }
    return new Node(
        new NodeId(pool.id().tenant(), name),
        pool.id(),
        devices,
        elasticity.instance().cpuMillis(),
        elasticity.instance().memoryBytes(),
        NodeStatus.READY);
  }

  /// Whether one worker of the profile may ever start in the pool, and the whole job under its
  /// ceiling.
  boolean everFits(Pool pool, Profile profile) {
    if (profile.need().units() > ceiling(pool)) {
      return false;
    }
    Space empty = new Space(new Shadow(shadow.catalog), Set.of());
    boolean hasNodes = false;
    for (Node node : shadow.nodes.values()) {
      if (node.pool().equals(pool.id())) {
        hasNodes = true;
        if (empty.workers(inService(node), pool, profile, Without.NOTHING) > 0) {
          return true;
        }
      }
    }
    return pool.elasticity().isPresent() ? workersOnInstance(pool, profile) > 0 : !hasNodes;
  }

  /// The node when all its devices are well again.
  static Node inService(Node node) {
    List<Device> devices = new ArrayList<>();
    for (Device device : node.devices()) {
      devices.add(
          new Device(
              device.index(),
              device.uuid(),
              device.model(),
              device.memoryBytes(),
              device.geometry(),
              device.isolation()));
    }
    return new Node(
        node.id(),
        node.pool(),
        devices,
        node.cpuMillis(),
        node.memoryBytes(),
        node.status(),
        node.runsImages());
  }

  /// Whether the worker lies on no device that is out of service.
  static boolean isInService(Node node, WorkerPlace place) {
    return node.devices().stream()
        .filter(device -> !device.inService())
        .noneMatch(
            device -> place.slices().stream().anyMatch(slice -> slice.device() == device.index()));
  }

  /// Units of GPU that are idle on nodes of the pool that take work.
  long idle(Pool pool) {
    long idle = 0;
    for (Node node : shadow.nodes.values()) {
      if (node.pool().equals(pool.id()) && shadow.takesWork(node)) {
        for (Device device : node.devices()) {
          if (device.inService() && pool.gpuModel().map(device.model()::equals).orElse(true)) {
            idle += Math.max(0, UNITS_PER_GPU - taken(node, device, Without.NOTHING));
          }
        }
      }
    }
    return idle;
  }

  private long taken(Node node, Device device, Without without) {
    long units = 0;
    for (Share share : byNode.getOrDefault(node.id(), List.of())) {
      units += without.leavesOut(share) ? 0 : units(share, device);
    }
    return units;
  }

  private static long units(Share share, Device device) {
    long units = 0;
    for (Slice slice : share.place().slices()) {
      units += slice.device() == device.index() ? slice.quantity().units() : 0;
    }
    return units;
  }

  /// More of a device is taken than there is: two have one slice.
  boolean isOvercommitted(Node node) {
    for (Device device : node.devices()) {
      long blocked = 0;
      for (Share share : byNode.getOrDefault(node.id(), List.of())) {
        blocked += share.blocked() ? units(share, device) : 0;
      }
      if (taken(node, device, new Without(false, true, Set.of())) > UNITS_PER_GPU
          || taken(node, device, Without.STOPPING) - blocked > UNITS_PER_GPU) {
        return true;
      }
      if (Slices.isSliced(device) && isMisplaced(node, device)) {
        return true;
      }
    }
    return false;
  }

  private boolean isMisplaced(Node node, Device device) {
    List<Slice> soon = new ArrayList<>();
    for (Share share : byNode.getOrDefault(node.id(), List.of())) {
      for (Slice slice : share.place().slices()) {
        if (slice.device() == device.index()) {
          if (!Slices.isLegal(device, slice)) {
            return true;
          }
          if (!share.stopping() && !share.blocked()) {
            soon.add(slice);
          }
        }
      }
    }
    return Slices.clash(device, soon)
        || Slices.clash(device, slices(node, device, new Without(false, true, Set.of())));
  }

  /// Whether nothing has any of the places, on all their nodes.
  boolean isFreeNow(List<WorkerPlace> places) {
    return isFree(places, Without.NOTHING);
  }

  /// Whether the place is free on all its nodes when these have ended and what stops has stopped.
  boolean isFreeWithout(List<WorkerPlace> places, Set<AttemptId> ended) {
    return isFree(places, Without.stoppingAnd(ended));
  }

  private boolean isFree(List<WorkerPlace> places, Without without) {
    for (WorkerPlace place : places) {
      Node node = shadow.nodes.get(place.node());
      for (Device device : node.devices()) {
        long part = 0;
        List<Slice> slices = slices(node, device, without);
        for (WorkerPlace other : places) {
          for (Slice slice : other.slices()) {
            boolean here = other.node().equals(node.id()) && slice.device() == device.index();
            part += here ? slice.quantity().units() : 0;
            if (here) {
              slices.add(slice);
            }
          }
        }
        if (part > 0
            && (part + taken(node, device, without) > UNITS_PER_GPU
                || (Slices.isSliced(device) && Slices.clash(device, slices)))) {
          return false;
        }
      }
    }
    return true;
  }

  int joined(Pool pool) {
    int joined = 0;
    for (Node node : shadow.nodes.values()) {
      joined += node.pool().equals(pool.id()) && !shadow.released.contains(node.id()) ? 1 : 0;
    }
    return joined;
  }
}
