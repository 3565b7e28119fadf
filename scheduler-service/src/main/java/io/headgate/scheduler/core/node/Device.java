package io.headgate.scheduler.core.node;

import io.headgate.scheduler.core.catalog.Isolation;

/// One GPU of a node.
///
/// @param index its position on the node, from 0
/// @param uuid the driver's stable identity
/// @param isolation strongest that a part of it can get
/// @param inService whether anything new may be placed on it; running jobs continue either way
public record Device(
    int index,
    String uuid,
    String model,
    long memoryBytes,
    Geometry geometry,
    Isolation isolation,
    boolean inService) {
  /// A device in service.
  public Device(
      int index,
      String uuid,
      String model,
      long memoryBytes,
      Geometry geometry,
      Isolation isolation) {
    this(index, uuid, model, memoryBytes, geometry, isolation, true);
  }

  public Device {
    if (index < 0 || memoryBytes < 0) {
      throw new IllegalArgumentException(
          "device %d %s: memoryBytes %d".formatted(index, uuid, memoryBytes));
    }
  }

  Device outOfService() {
    return new Device(index, uuid, model, memoryBytes, geometry, isolation, false);
  }
}
