package io.headgate.sdk.wire;

/// Whether a call may be sent again when nobody knows if the first one took effect.
public enum RepeatSafety {
  /// Doing it twice is the same as doing it once: reads, and writes with a request id.
  REPEATABLE,
  /// It is sent again only after the server itself has said that it did nothing.
  ONCE
}
