package io.headgate.sdk.model;

import io.headgate.sdk.config.Profile.Isolation;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A machine with devices, in one pool.
///
/// @param simulated its devices do not exist
/// @param labels by key
/// @param storages names of the storages that it has a path for
/// @param quarantine its report that waits for approval; null: none
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
    Map<String, String> labels,
    List<String> storages,
    @Nullable Quarantine quarantine,
    @Nullable Instant createTime) {
  public Node {
    devices = List.copyOf(devices);
    storages = List.copyOf(storages);
    labels = Collections.unmodifiableMap(new TreeMap<>(labels));
  }

  /// A report that claims more than is believed: the node gets no work until an admin approves it.
  ///
  /// @param reason in one sentence
  /// @param claims what it reports, in words
  /// @param etag tells this report from others
  public record Quarantine(String reason, String claims, String etag) {}

  /// One GPU.
  ///
  /// @param isolation strongest isolation of a slice; null: none
  /// @param condition its health
  public record Device(
      int index,
      String uuid,
      String gpuModel,
      long memoryBytes,
      Geometry geometry,
      @Nullable Isolation isolation,
      Condition condition) {}

  /// The health of a device, with cause and remedy.
  ///
  /// @param cause why, for people; empty when it is healthy or the cause is unknown
  public record Condition(Health health, String cause, Remedy remedy) {}

  /// The health of a device.
  public enum Health {
    /// Unknown to the agent; counts as healthy.
    UNKNOWN,
    HEALTHY,
    /// The device needs attention but is used as before.
    DEGRADED,
    /// Nothing new is placed on it.
    UNHEALTHY
  }

  /// The repair that a device needs.
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
