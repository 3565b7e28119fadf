package io.headgate.sdk.model;

import io.headgate.sdk.config.Profile.Isolation;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A machine with devices, in one pool.
///
/// @param simulated its devices do not exist
public record Node(
    String tenant,
    String id,
    String pool,
    List<Device> devices,
    long cpuMillis,
    long memoryBytes,
    boolean simulated,
    String driver,
    String agentVersion,
    String hostname,
    boolean draining,
    String drainReason,
    @Nullable Instant createTime) {
  public Node {
    devices = List.copyOf(devices);
  }

  /// One GPU.
  ///
  /// @param isolation strongest that a part of it can get; null: none
  /// @param condition how well it works
  public record Device(
      int index,
      String uuid,
      String gpuModel,
      long memoryBytes,
      Geometry geometry,
      @Nullable Isolation isolation,
      Condition condition) {}

  /// How a device is.
  ///
  /// @param cause why, for people; empty when it is healthy, or not known
  public record Condition(Health health, String cause, Remedy remedy) {}

  /// How well a device works.
  public enum Health {
    /// Its agent does not say; it counts as healthy.
    UNKNOWN,
    HEALTHY,
    /// Something is to be seen to; it is used as before.
    DEGRADED,
    /// Nothing new is placed on it.
    UNHEALTHY
  }

  /// What puts a device right.
  public enum Remedy {
    NONE,
    INSPECT,
    RESET,
    RESTART_MACHINE,
    REPLACE
  }

  /// How a device can be divided.
  public enum Geometry {
    UNKNOWN,
    CONTINUOUS,
    MIG,
    AMD_PARTITION
  }
}
