package io.headgate.sdk.cli.command.timeline;

import com.google.protobuf.Timestamp;
import java.time.Instant;

/// Times of messages.
final class Times {
  private Times() {}

  static Instant instant(Timestamp time) {
    return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
  }
}
