package io.headgate.agent.core;

import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Whether slices fit on the devices beside those that are already held.
public final class SliceBook {
  private final Map<Integer, DeviceInfo> devices = new TreeMap<>();

  public SliceBook(List<DeviceInfo> devices) {
    devices.forEach(device -> this.devices.put(device.index(), device));
  }

  /// Why the wanted slices cannot be given; empty: they can.
  ///
  /// Example: with 1/2 of device 0 held, another 1/2 of it fits and 2/3 does not.
  public Optional<String> refusal(
      List<SliceGrant> held, List<SliceGrant> wanted, IsolationLevel minimum) {
    Map<Integer, Long> units = new TreeMap<>();
    Map<Integer, Long> bytes = new TreeMap<>();
    held.forEach(grant -> add(grant, units, bytes));
    List<SliceGrant> beside = new ArrayList<>(held);
    for (SliceGrant grant : wanted) {
      DeviceInfo device = devices.get(grant.deviceIndex());
      if (device == null || !device.uuid().equals(grant.deviceUuid())) {
        return Optional.of(
            "this machine has no device %d with uuid %s"
                .formatted(grant.deviceIndex(), grant.deviceUuid()));
      }
      if (!isolation(device, grant).satisfies(minimum)) {
        return Optional.of(
            "device %s isolates its slices by %s only; at least %s is demanded"
                .formatted(device.uuid(), device.isolation(), minimum));
      }
      Optional<String> misplaced = misplaced(device, grant, beside);
      if (misplaced.isPresent()) {
        return misplaced;
      }
      beside.add(grant);
      long free = GpuQuantity.UNITS_PER_GPU - units.getOrDefault(device.index(), 0L);
      long freeBytes = device.memoryBytes() - bytes.getOrDefault(device.index(), 0L);
      add(grant, units, bytes);
      if (grant.gpus().units() > free) {
        return Optional.of(
            "%s GPU of device %s do not fit: %s of it is free"
                .formatted(grant.gpus(), device.uuid(), GpuQuantity.format(free)));
      }
      if (grant.effectiveMemoryBytes(device) > freeBytes) {
        return Optional.of(
            "%d bytes of device %s do not fit: %d are free"
                .formatted(grant.effectiveMemoryBytes(device), device.uuid(), freeBytes));
      }
    }
    return Optional.empty();
  }

  /// A device that is given whole is shared with no other job, however weakly it separates its
  /// parts. Only a simulated device keeps level none.
  private static IsolationLevel isolation(DeviceInfo device, SliceGrant grant) {
    boolean whole = grant.gpus().equals(GpuQuantity.ONE);
    return whole && device.isolation() != IsolationLevel.NONE
        ? IsolationLevel.HARDWARE
        : device.isolation();
  }

  private static Optional<String> misplaced(
      DeviceInfo device, SliceGrant grant, List<SliceGrant> beside) {
    if (device.geometry() == DeviceInfo.Geometry.CONTINUOUS) {
      return Optional.empty();
    }
    if (grant.place().isEmpty()) {
      return Optional.of(
          "device %s is divided into places, and the slice names no place"
              .formatted(device.uuid()));
    }
    boolean uniform = device.geometry() == DeviceInfo.Geometry.AMD_PARTITION;
    for (SliceGrant other : beside) {
      if (other.deviceIndex() == device.index()
          && other
              .place()
              .map(place -> place.isInTheWayOf(grant.place().get(), uniform))
              .orElse(true)) {
        return Optional.of(
            "slice %s of device %s is in the way of %s"
                .formatted(
                    other.place().map(SlicePlace::toString).orElse("without place"),
                    device.uuid(),
                    grant.place().get()));
      }
    }
    return Optional.empty();
  }

  private void add(SliceGrant grant, Map<Integer, Long> units, Map<Integer, Long> bytes) {
    DeviceInfo device = devices.get(grant.deviceIndex());
    if (device != null) {
      units.merge(device.index(), grant.gpus().units(), Long::sum);
      bytes.merge(device.index(), grant.effectiveMemoryBytes(device), Long::sum);
    }
  }
}
