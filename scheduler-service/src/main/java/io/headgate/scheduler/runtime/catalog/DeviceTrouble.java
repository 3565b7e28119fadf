package io.headgate.scheduler.runtime.catalog;

/// What is wrong with a device, as its machine says.
///
/// @param index its position on the node
/// @param inService whether it is used all the same
/// @param cause why, for people
/// @param remedy what puts it right, for people; empty: nothing is to be done
public record DeviceTrouble(
    int index, String uuid, boolean inService, String cause, String remedy) {
  /// `degraded` or `unhealthy`.
  public String health() {
    return inService ? "degraded" : "unhealthy";
  }
}
