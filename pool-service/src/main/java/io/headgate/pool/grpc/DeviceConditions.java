package io.headgate.pool.grpc;

import io.headgate.pool.core.node.DeviceCondition;
import io.headgate.pool.core.node.DeviceCondition.Health;
import io.headgate.pool.core.node.DeviceCondition.Remedy;
import io.headgate.proto.pool.v1.Device;
import io.headgate.proto.type.v1.DeviceHealth;
import io.headgate.proto.type.v1.DeviceRemedy;
import java.util.Optional;

/// Converts conditions of devices to and from messages.
final class DeviceConditions {
  private DeviceConditions() {}

  static Optional<DeviceCondition> condition(Device device) {
    var message = device.getCondition();
    Optional<Health> health =
        switch (message.getHealth()) {
          case DEVICE_HEALTH_UNSPECIFIED -> Optional.empty();
          case DEVICE_HEALTH_HEALTHY -> Optional.of(Health.HEALTHY);
          // Unknown values from newer agents count as degraded.
          case DEVICE_HEALTH_DEGRADED, UNRECOGNIZED -> Optional.of(Health.DEGRADED);
          case DEVICE_HEALTH_UNHEALTHY -> Optional.of(Health.UNHEALTHY);
        };
    return health.map(
        known -> new DeviceCondition(known, message.getCause(), remedy(message.getRemedy())));
  }

  private static Remedy remedy(DeviceRemedy remedy) {
    return switch (remedy) {
      case DEVICE_REMEDY_UNSPECIFIED -> Remedy.NONE;
      case DEVICE_REMEDY_INSPECT, UNRECOGNIZED -> Remedy.INSPECT;
      case DEVICE_REMEDY_RESET -> Remedy.RESET;
      case DEVICE_REMEDY_RESTART_MACHINE -> Remedy.RESTART_MACHINE;
      case DEVICE_REMEDY_REPLACE -> Remedy.REPLACE;
    };
  }

  static io.headgate.proto.type.v1.DeviceCondition message(DeviceCondition condition) {
    return io.headgate.proto.type.v1.DeviceCondition.newBuilder()
        .setHealth(
            switch (condition.health()) {
              case HEALTHY -> DeviceHealth.DEVICE_HEALTH_HEALTHY;
              case DEGRADED -> DeviceHealth.DEVICE_HEALTH_DEGRADED;
              case UNHEALTHY -> DeviceHealth.DEVICE_HEALTH_UNHEALTHY;
            })
        .setCause(condition.cause())
        .setRemedy(
            switch (condition.remedy()) {
              case NONE -> DeviceRemedy.DEVICE_REMEDY_UNSPECIFIED;
              case INSPECT -> DeviceRemedy.DEVICE_REMEDY_INSPECT;
              case RESET -> DeviceRemedy.DEVICE_REMEDY_RESET;
              case RESTART_MACHINE -> DeviceRemedy.DEVICE_REMEDY_RESTART_MACHINE;
              case REPLACE -> DeviceRemedy.DEVICE_REMEDY_REPLACE;
            })
        .build();
  }
}
