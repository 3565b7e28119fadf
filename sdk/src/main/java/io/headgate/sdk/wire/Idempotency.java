package io.headgate.sdk.wire;

/// Whether a call may be sent again when it is unknown whether the first one took effect.
public enum Idempotency {
  /// Reads, and writes with a request id.
  IDEMPOTENT,
  /// Sent again only after the server itself answered that the call took no effect.
  NOT_IDEMPOTENT
}
