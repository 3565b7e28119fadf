package io.headgate.agent.core;

import java.util.Optional;

/// One GPU of this machine.
///
/// @param index position on the machine, from 0
/// @param uuid the driver's stable identity
/// @param model as pools name it
/// @param geometry how it can be divided
/// @param isolation the strongest isolation that a part of it can get
/// @param slices of a device with places, as its driver tells; absent: the usual ones of its kind
public record DeviceInfo(
    int index,
    String uuid,
    String model,
    long memoryBytes,
    Geometry geometry,
    IsolationLevel isolation,
    Optional<SliceTable> slices) {
  /// How a device can be divided.
  public enum Geometry {
    CONTINUOUS,
    MIG,
    AMD_PARTITION
  }

  public DeviceInfo(
      int index,
      String uuid,
      String model,
      long memoryBytes,
      Geometry geometry,
      IsolationLevel isolation) {
    this(index, uuid, model, memoryBytes, geometry, isolation, Optional.empty());
  }

  /// The same with another number.
  public DeviceInfo withIndex(int other) {
    return new DeviceInfo(other, uuid, model, memoryBytes, geometry, isolation, slices);
  }
}
