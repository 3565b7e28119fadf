package io.headgate.kit.grpc;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import io.headgate.kit.failure.Refusal;
import java.time.Duration;
import java.time.Instant;

/// Converts instants and durations between messages and Java.
public final class ProtoTimes {
  private ProtoTimes() {}

  public static Timestamp toProto(Instant instant) {
    return Timestamp.newBuilder()
        .setSeconds(instant.getEpochSecond())
        .setNanos(instant.getNano())
        .build();
  }

  public static com.google.protobuf.Duration toProto(Duration duration) {
    return com.google.protobuf.Duration.newBuilder()
        .setSeconds(duration.getSeconds())
        .setNanos(duration.getNano())
        .build();
  }

  public static Instant instant(Timestamp timestamp) {
    return Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos());
  }

  /// The duration, which another check found valid.
  public static Duration duration(com.google.protobuf.Duration duration) {
    return Duration.ofSeconds(duration.getSeconds(), duration.getNanos());
  }

  /// The duration in a field of a request.
  ///
  /// @param field path of the field, for the refusal
  /// @throws io.headgate.kit.failure.RefusalException INVALID_ARGUMENT with reason INVALID_FIELD if
  ///   seconds and nanos differ in sign or exceed their ranges
  public static Duration duration(String field, com.google.protobuf.Duration duration) {
    if (!Durations.isValid(duration)) {
      throw Refusal.invalidField(
              "INVALID_FIELD", field, "this is no duration: seconds and nanos do not fit together")
          .exception();
    }
    return duration(duration);
  }
}
