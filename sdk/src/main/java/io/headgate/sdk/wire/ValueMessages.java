package io.headgate.sdk.wire;

import io.headgate.proto.type.v1.IsolationLevel;
import io.headgate.sdk.config.Profile.Isolation;
import io.headgate.type.GpuQuantity;
import org.jspecify.annotations.Nullable;

/// Values that several messages share.
final class ValueMessages {
  private ValueMessages() {}

  /// Absent means none.
  static GpuQuantity gpus(String text) {
    return text.isEmpty() ? GpuQuantity.ZERO : GpuQuantity.parse(text);
  }

  static @Nullable GpuQuantity gpusOrNull(String text) {
    return text.isEmpty() ? null : GpuQuantity.parse(text);
  }

  static String text(@Nullable GpuQuantity quantity) {
    return quantity == null ? "" : quantity.toString();
  }

  static String text(@Nullable String text) {
    return text == null ? "" : text;
  }

  static @Nullable String textOrNull(String text) {
    return text.isEmpty() ? null : text;
  }

  static @Nullable Isolation isolation(IsolationLevel level) {
    return switch (level) {
      case ISOLATION_LEVEL_HARDWARE -> Isolation.HARDWARE;
      case ISOLATION_LEVEL_DRIVER_CONTAINER -> Isolation.DRIVER_CONTAINER;
      case ISOLATION_LEVEL_DRIVER_PROCESS -> Isolation.DRIVER_PROCESS;
      case ISOLATION_LEVEL_REACTIVE -> Isolation.REACTIVE;
      case ISOLATION_LEVEL_UNSPECIFIED, UNRECOGNIZED -> null;
    };
  }

  static IsolationLevel isolation(@Nullable Isolation isolation) {
    return switch (isolation) {
      case HARDWARE -> IsolationLevel.ISOLATION_LEVEL_HARDWARE;
      case DRIVER_CONTAINER -> IsolationLevel.ISOLATION_LEVEL_DRIVER_CONTAINER;
      case DRIVER_PROCESS -> IsolationLevel.ISOLATION_LEVEL_DRIVER_PROCESS;
      case REACTIVE -> IsolationLevel.ISOLATION_LEVEL_REACTIVE;
      case null -> IsolationLevel.ISOLATION_LEVEL_UNSPECIFIED;
    };
  }
}
