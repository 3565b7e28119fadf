package io.headgate.sdk.wire;

import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import java.time.Instant;

/// Maps times and durations of messages.
final class TimeMessages {
  private TimeMessages() {}

  static Instant instant(Timestamp time) {
    return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
  }

  static Timestamp timestamp(Instant time) {
    return Timestamp.newBuilder()
        .setSeconds(time.getEpochSecond())
        .setNanos(time.getNano())
        .build();
  }

  static java.time.Duration duration(Duration duration) {
    return java.time.Duration.ofSeconds(duration.getSeconds(), duration.getNanos());
  }

  static Duration duration(java.time.Duration duration) {
    return Duration.newBuilder()
        .setSeconds(duration.getSeconds())
        .setNanos(duration.getNano())
        .build();
  }
}
