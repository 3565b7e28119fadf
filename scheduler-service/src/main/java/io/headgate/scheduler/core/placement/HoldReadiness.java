package io.headgate.scheduler.core.placement;

import static io.headgate.type.GpuQuantity.UNITS_PER_GPU;

import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.WorkerPlace;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/// Whether a hold's part of one node can be used. It waits until all of it is free at once, main
/// memory and processors, too.
///
/// One half of a device stops, and two holds have half of it each: the older one is ready, the
/// other not before the half has stopped.
final class HoldReadiness {
  private HoldReadiness() {}

  /// Whether neither what still stops nor an older hold is in the way of the places.
  static boolean areReady(NodeState node, List<WorkerPlace> places, List<WorkerPlace> older) {
    if (!node.cpu()
            .ready(
                node.node().cpuMillis(),
                sum(places, WorkerPlace::cpuMillis),
                sum(older, WorkerPlace::cpuMillis))
        || !node.memory()
            .ready(
                node.node().memoryBytes(),
                sum(places, WorkerPlace::memoryBytes),
                sum(older, WorkerPlace::memoryBytes))) {
      return false;
    }
    for (int slot = 0; slot < node.deviceCount(); slot++) {
      DeviceState device = node.device(slot);
      List<Slice> own = slicesOn(places, device);
      if (!own.isEmpty() && !isReady(device, own, slicesOn(older, device))) {
        return false;
      }
    }
    return true;
  }

  /// Whether each device of the places may be given away, now or when it is free.
  static boolean areOffered(NodeState node, List<WorkerPlace> places) {
    for (int slot = 0; slot < node.deviceCount(); slot++) {
      DeviceState device = node.device(slot);
      if (device.kind() == null && !slicesOn(places, device).isEmpty()) {
        return false;
      }
    }
    return true;
  }

  private static boolean isReady(DeviceState device, List<Slice> own, List<Slice> older) {
    DeviceKind kind = device.kind();
    ToLongFunction<Slice> units = slice -> slice.quantity().units();
    if (kind == null || !device.units.ready(UNITS_PER_GPU, sum(own, units), sum(older, units))) {
      return false;
    }
    return device.isSliced()
        ? device.arePlacesReady(own, older)
        : device.memory.ready(
            kind.memoryBytes(), sum(own, Slice::memoryBytes), sum(older, Slice::memoryBytes));
  }

  private static List<Slice> slicesOn(List<WorkerPlace> places, DeviceState device) {
    List<Slice> slices = new ArrayList<>();
    for (WorkerPlace place : places) {
      for (Slice slice : place.slices()) {
        if (slice.device() == device.index()) {
          slices.add(slice);
        }
      }
    }
    return slices;
  }

  private static <T> long sum(List<T> all, ToLongFunction<T> of) {
    long sum = 0;
    for (T each : all) {
      sum += of.applyAsLong(each);
    }
    return sum;
  }
}
