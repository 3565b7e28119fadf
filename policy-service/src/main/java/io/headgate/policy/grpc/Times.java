package io.headgate.policy.grpc;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import io.headgate.kit.failure.Refusal;
import java.time.Duration;
import java.time.Instant;

/// Instants and durations on the wire.
final class Times {
  private Times() {}

  static Timestamp toProto(Instant instant) {
    return Timestamp.newBuilder()
        .setSeconds(instant.getEpochSecond())
        .setNanos(instant.getNano())
        .build();
  }

  static com.google.protobuf.Duration toProto(Duration duration) {
    return com.google.protobuf.Duration.newBuilder()
        .setSeconds(duration.getSeconds())
        .setNanos(duration.getNano())
        .build();
  }

  /// Reads a duration of a request.
  ///
  /// @param field that holds it
  static Duration fromProto(String field, com.google.protobuf.Duration duration) {
    if (!Durations.isValid(duration)) {
      throw Refusal.invalidField(
              "INVALID_FIELD", field, "this is no duration: seconds and nanos do not fit together")
          .exception();
    }
    return Duration.ofSeconds(duration.getSeconds(), duration.getNanos());
  }
}
