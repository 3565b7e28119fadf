package io.headgate.deploy;

import io.headgate.kit.telemetry.TelemetryConfig;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/// What an all-in-one installation needs to know.
///
/// @param data directory of everything that is kept
/// @param host address that the API listens on, IPv4 in numbers
/// @param port of the API; 0 chooses a free one
/// @param lease how long a leader that vanished blocks the next; short, because nobody else
///   competes here
/// @param schedulers processes that compete for leading; 0: none, this one schedules itself
/// @param shared directories that jobs find at their place, whatever walls them off
/// @param settings changes what each of those is told, `HEADGATE_...` by name, whenever it starts
public record InstallationConfig(
    Path data,
    String host,
    int port,
    Duration lease,
    int schedulers,
    List<Path> shared,
    UnaryOperator<Map<String, String>> settings,
    TelemetryConfig telemetry) {
  /// More would only watch.
  public static final int MAX_SCHEDULERS = 9;

  private static final Duration DEFAULT_LEASE = Duration.ofSeconds(2);

  public InstallationConfig {
    shared = List.copyOf(shared);
    if (schedulers < 0 || schedulers > MAX_SCHEDULERS) {
      throw new IllegalArgumentException(
          "schedulers: 0 to %d, not %d".formatted(MAX_SCHEDULERS, schedulers));
    }
  }

  /// Listening on another address of this machine.
  InstallationConfig withHost(String address) {
    return new InstallationConfig(
        data, address, port, lease, schedulers, shared, settings, telemetry);
  }

  /// Where programs on this machine reach what listens there.
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
        TelemetryConfig.DEFAULTS);
  }

  InstallationConfig withTelemetry(TelemetryConfig other) {
    return new InstallationConfig(data, host, port, lease, schedulers, shared, settings, other);
  }

  /// With so many schedulers in processes of their own.
  public InstallationConfig withSchedulers(int processes) {
    return new InstallationConfig(data, host, port, lease, processes, shared, settings, telemetry);
  }

  /// With directories that jobs find at their place.
  public InstallationConfig withShared(List<Path> directories) {
    return new InstallationConfig(
        data, host, port, lease, schedulers, directories, settings, telemetry);
  }

  /// With schedulers that are told something else than usual.
  public InstallationConfig withSettings(UnaryOperator<Map<String, String>> changed) {
    return new InstallationConfig(data, host, port, lease, schedulers, shared, changed, telemetry);
  }
}
