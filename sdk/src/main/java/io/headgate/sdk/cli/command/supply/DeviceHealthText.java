package io.headgate.sdk.cli.command.supply;

import io.headgate.sdk.model.Node;
import io.headgate.sdk.model.Node.Health;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The health of a node's devices as text.
final class DeviceHealthText {
  private DeviceHealthText() {}

  /// `1 unhealthy, 2 degraded`; empty when all devices are healthy.
  static String count(Node node) {
    return Stream.of(Health.UNHEALTHY, Health.DEGRADED)
        .map(health -> count(node, health))
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining(", "));
  }

  private static String count(Node node, Health health) {
    long count =
        node.devices().stream().filter(device -> device.condition().health() == health).count();
    return count == 0 ? "" : count + " " + word(health);
  }

  /// Each unhealthy device with the cause and the remedy.
  ///
  /// Example: `GPU 2 unhealthy: it has fallen off the bus (XID 79) (restart the machine)`
  static String text(Node node) {
    return node.devices().stream()
        .filter(device ->
            device.condition().health() == Health.UNHEALTHY
                || device.condition().health() == Health.DEGRADED)
        .map(DeviceHealthText::text)
        .collect(Collectors.joining("; "));
  }

  private static String text(Node.Device device) {
    String remedy =
        switch (device.condition().remedy()) {
          case NONE -> "";
          case INSPECT -> " (inspect the device)";
          case RESET -> " (reset it when no job runs on it)";
          case RESTART_MACHINE -> " (restart the machine)";
          case REPLACE -> " (replace the device)";
        };
    return "GPU %d %s: %s%s"
        .formatted(
            device.index(), word(device.condition().health()), device.condition().cause(), remedy);
  }

  private static String word(Health health) {
    return health.name().toLowerCase(Locale.ROOT);
  }
}
