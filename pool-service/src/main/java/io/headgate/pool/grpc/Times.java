package io.headgate.pool.grpc;

import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import java.time.Instant;

/// Times of the contract to and from Java's.
final class Times {
  private Times() {}

  static java.time.Duration of(Duration duration) {
    return java.time.Duration.ofSeconds(duration.getSeconds(), duration.getNanos());
  }

  static Duration of(java.time.Duration duration) {
    return Duration.newBuilder()
        .setSeconds(duration.toSeconds())
        .setNanos(duration.toNanosPart())
        .build();
  }

  static Timestamp of(Instant instant) {
    return Timestamp.newBuilder()
        .setSeconds(instant.getEpochSecond())
        .setNanos(instant.getNano())
        .build();
  }
}
