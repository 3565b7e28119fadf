package io.headgate.sdk.cli.command.timeline;

import com.google.protobuf.Timestamp;
import io.headgate.proto.scheduler.v1.UsageInterval;
import java.time.Instant;

/// Times of messages.
final class Times {
  private Times() {}

  static Instant instant(Timestamp time) {
    return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
  }

  /// The end of an interval; of one that lasts `now`.
  static Instant end(UsageInterval interval, Instant now) {
    if (interval.hasEndTime()) {
      return instant(interval.getEndTime());
    }
    // A later page may tell intervals that began after the first answer.
    Instant from = instant(interval.getStartTime());
    return now.isAfter(from) ? now : from.plusMillis(1);
  }
}
