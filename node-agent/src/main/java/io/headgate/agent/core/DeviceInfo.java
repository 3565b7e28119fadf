package io.headgate.agent.core;

/// One GPU of this machine.
///
/// @param index position on the machine, from 0
/// @param uuid the driver's stable identity
/// @param model as pools name it
/// @param geometry how it can be divided
/// @param isolation the strongest isolation that a part of it can get
public record DeviceInfo(
    int index,
    String uuid,
    String model,
    long memoryBytes,
    Geometry geometry,
    IsolationLevel isolation) {
  /// How a device can be divided.
  public enum Geometry {
    CONTINUOUS,
    MIG,
    AMD_PARTITION
  }
}
