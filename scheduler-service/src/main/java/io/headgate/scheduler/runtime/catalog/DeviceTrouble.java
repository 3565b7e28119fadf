package io.headgate.scheduler.runtime.catalog;

/// A device's fault, as its machine reports it.
///
/// @param index its position on the node
/// @param inService whether the device is used despite the fault
/// @param cause for people
/// @param remedy for people; empty: no action is needed
public record DeviceTrouble(
    int index, String uuid, boolean inService, String cause, String remedy) {
  /// `degraded` or `unhealthy`.
  public String health() {
    return inService ? "degraded" : "unhealthy";
  }
}
