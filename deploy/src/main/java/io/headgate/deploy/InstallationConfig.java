package io.headgate.deploy;

import io.headgate.kit.telemetry.TelemetryConfig;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/// Configuration of an all-in-one installation.
///
/// @param data directory of all files
/// @param host address that the API listens on, IPv4 in numbers
/// @param port of the API; 0 chooses a free one
/// @param lease how long the lease of a vanished leader blocks the next leader; short, because no
///   scheduler of another machine competes
/// @param schedulers processes that compete for leadership; 0: none, this process schedules itself
/// @param shared directories that jobs see at their usual paths, however the jobs are isolated
/// @param settings changes the `HEADGATE_...` variables of a scheduler process at each of its
///   starts
/// @param keyChange of the key-encryption keys, before the services start
/// @param exportedOutput the output of jobs goes to the receiver of telemetry, too
public record InstallationConfig(
    Path data,
    String host,
    int port,
    Duration lease,
    int schedulers,
    List<Path> shared,
    UnaryOperator<Map<String, String>> settings,
    TelemetryConfig telemetry,
    KeyChange keyChange,
    boolean exportedOutput) {
  /// More schedulers than this would only stand by.
  public static final int MAX_SCHEDULERS = 9;

  /// Name of this process among the schedulers, where others compete for leadership: it relays
  /// calls to their leader and never leads.
  public static final String DOOR = "door";

  private static final Duration DEFAULT_LEASE = Duration.ofSeconds(2);

  /// The change of the key-encryption keys of the three services.
  public enum KeyChange {
    NONE,
    /// Each gets a new one.
    ROTATE,
    /// They are lost: what they sealed is given up.
    REPLACE
  }

  public InstallationConfig {
    shared = List.copyOf(shared);
    if (schedulers < 0 || schedulers > MAX_SCHEDULERS) {
      throw new IllegalArgumentException(
          "schedulers: 0 to %d, not %d".formatted(MAX_SCHEDULERS, schedulers));
    }
  }

  /// A copy that listens on another address of this machine.
  InstallationConfig withHost(String address) {
    return new InstallationConfig(
        data,
        address,
        port,
        lease,
        schedulers,
        shared,
        settings,
        telemetry,
        keyChange,
        exportedOutput);
  }

  /// The address at which programs on this machine reach the API.
  String localHost() {
    return InetAddress.ofLiteral(host).isAnyLocalAddress() ? "127.0.0.1" : host;
  }

  /// An installation on loopback without exported telemetry.
  public static InstallationConfig of(Path data, int port) {
    return new InstallationConfig(
        data,
        "127.0.0.1",
        port,
        DEFAULT_LEASE,
        0,
        List.of(),
        UnaryOperator.identity(),
        TelemetryConfig.DEFAULTS,
        KeyChange.NONE,
        false);
  }

  /// The file of the token that scrapers of an installation on `data` send.
  static Path metricsToken(Path data) {
    return data.resolve("secrets").resolve("metrics.token");
  }

  /// A copy that exports and exposes telemetry so.
  public InstallationConfig withTelemetry(TelemetryConfig other) {
    return new InstallationConfig(
        data, host, port, lease, schedulers, shared, settings, other, keyChange, exportedOutput);
  }

  /// A copy with schedulers in this number of processes of their own.
  public InstallationConfig withSchedulers(int processes) {
    return new InstallationConfig(
        data, host, port, lease, processes, shared, settings, telemetry, keyChange, exportedOutput);
  }

  /// A copy with directories that jobs see at their usual paths.
  public InstallationConfig withShared(List<Path> directories) {
    return new InstallationConfig(
        data,
        host,
        port,
        lease,
        schedulers,
        directories,
        settings,
        telemetry,
        keyChange,
        exportedOutput);
  }

  /// A copy whose scheduler processes get changed settings.
  public InstallationConfig withSettings(UnaryOperator<Map<String, String>> changed) {
    return new InstallationConfig(
        data, host, port, lease, schedulers, shared, changed, telemetry, keyChange, exportedOutput);
  }

  /// A copy that changes the key-encryption keys at its start.
  public InstallationConfig withKeyChange(KeyChange change) {
    return new InstallationConfig(
        data, host, port, lease, schedulers, shared, settings, telemetry, change, exportedOutput);
  }

  /// A copy that sends the output of jobs to the receiver of telemetry, or does not.
  public InstallationConfig withExportedOutput(boolean exported) {
    return new InstallationConfig(
        data, host, port, lease, schedulers, shared, settings, telemetry, keyChange, exported);
  }
}
