package io.headgate.deploy.simulate.replay;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.Device;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.type.GpuQuantity;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Free resources of the machines, counted from starts and ends alone.
final class MachineBooks {
  private static final class Free {
    final Node node;
    final Map<Integer, Long> units = new LinkedHashMap<>();
    long cpuMillis;
    long memoryBytes;

    Free(Node node) {
      this.node = node;
      node.devices().forEach(device -> units.put(device.index(), GpuQuantity.UNITS_PER_GPU));
      cpuMillis = node.cpuMillis();
      memoryBytes = node.memoryBytes();
    }

    void change(WorkerPlace place, int sign) {
      for (Slice slice : place.slices()) {
        units.merge(slice.device(), sign * slice.quantity().units(), Long::sum);
      }
      cpuMillis += sign * place.cpuMillis();
      memoryBytes += sign * place.memoryBytes();
    }

    /// Whether this device alone would do: it has the model and enough free units.
    boolean serves(Device device, Profile profile) {
      long need = Math.min(profile.gpus().units(), GpuQuantity.UNITS_PER_GPU);
      return units.getOrDefault(device.index(), 0L) >= need
          && (profile.gpuModels().isEmpty() || profile.gpuModels().contains(device.model()));
    }

    /// How many workers fit.
    long workers(Profile profile) {
      long most = profile.workers();
      if (profile.cpuMillis() > 0) {
        most = Math.min(most, cpuMillis / profile.cpuMillis());
      }
      if (profile.memoryBytes() > 0) {
        most = Math.min(most, memoryBytes / profile.memoryBytes());
      }
      long each = profile.gpus().units();
      if (each == 0) {
        return most;
      }
      long places = 0;
      for (Device device : node.devices()) {
        if (serves(device, profile)) {
          places += profile.gpus().isFraction() ? units.getOrDefault(device.index(), 0L) / each : 1;
        }
      }
      return Math.min(
          most, profile.gpus().isFraction() ? places : places * GpuQuantity.UNITS_PER_GPU / each);
    }
  }

  private final Map<NodeId, Free> machines = new LinkedHashMap<>();
  private final long capacity;

  MachineBooks(List<Node> nodes) {
    long units = 0;
    for (Node node : nodes) {
      machines.put(node.id(), new Free(node));
      units += node.devices().size() * GpuQuantity.UNITS_PER_GPU;
    }
    capacity = units;
  }

  /// Units of all devices.
  long capacity() {
    return capacity;
  }

  /// Whether all workers of a job of this profile would find a place now.
  boolean fits(Profile profile) {
    long workers = 0;
    for (Free machine : machines.values()) {
      if (profile.pools().contains(machine.node.pool())) {
        workers += machine.workers(profile);
      }
    }
    return workers >= profile.workers();
  }

  /// Books a place for a job of the profile.
  ///
  /// @return the fault of the place; empty: none
  Optional<String> take(Assignment assignment, Profile profile) {
    if (assignment.workers().size() != profile.workers()) {
      return Optional.of(
          "%d workers instead of %d".formatted(assignment.workers().size(), profile.workers()));
    }
    if (!profile.pools().contains(assignment.pool())) {
      return Optional.of("pool " + assignment.pool() + " is not one of its profile");
    }
    for (WorkerPlace worker : assignment.workers()) {
      String wrong = wrong(worker, assignment.pool(), profile);
      if (wrong != null) {
        return Optional.of(wrong);
      }
      machine(worker).change(worker, -1);
    }
    return Optional.empty();
  }

  private @Nullable String wrong(WorkerPlace worker, PoolId pool, Profile profile) {
    Free machine = machines.get(worker.node());
    if (machine == null || !machine.node.pool().equals(pool)) {
      return "node " + worker.node() + " is not in pool " + pool;
    }
    if (worker.units() != profile.gpus().units()) {
      return "a worker gets %s GPUs instead of %s"
          .formatted(new GpuQuantity(worker.units()), profile.gpus());
    }
    long each = Math.min(profile.gpus().units(), GpuQuantity.UNITS_PER_GPU);
    for (Slice slice : worker.slices()) {
      if (slice.quantity().units() != each) {
        return "a slice of %s GPU for a job of %s".formatted(slice.quantity(), profile.gpus());
      }
    }
    if (worker.cpuMillis() < profile.cpuMillis() || worker.memoryBytes() < profile.memoryBytes()) {
      return "a worker gets less CPU or memory than its profile says";
    }
    if (worker.cpuMillis() > machine.cpuMillis || worker.memoryBytes() > machine.memoryBytes) {
      return "node " + worker.node() + " has not so much CPU and memory";
    }
    Set<Integer> devices = new HashSet<>();
    for (Slice slice : worker.slices()) {
      Long free = machine.units.get(slice.device());
      if (free == null || !devices.add(slice.device()) || slice.quantity().units() > free) {
        return "device %d of node %s has not %s GPU free"
            .formatted(slice.device(), worker.node(), slice.quantity());
      }
    }
    for (Device device : machine.node.devices()) {
      if (devices.contains(device.index()) && !machine.serves(device, profile)) {
        return "device %d of node %s does not suit the profile"
            .formatted(device.index(), worker.node());
      }
    }
    return null;
  }

  /// Releases a place.
  void give(Assignment assignment) {
    for (WorkerPlace worker : assignment.workers()) {
      machine(worker).change(worker, 1);
    }
  }

  private Free machine(WorkerPlace worker) {
    Free machine = machines.get(worker.node());
    if (machine == null) {
      throw new IllegalArgumentException("no node " + worker.node());
    }
    return machine;
  }
}
