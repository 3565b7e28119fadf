package io.headgate.policy.runtime.port;

import java.util.function.Supplier;

/// The stored answers of idempotent requests.
public interface RequestTable {
  /// The bytes of the first answer to `request`, or else the bytes of `change`, which are then
  /// stored.
  byte[] once(RequestKey request, Supplier<byte[]> change);
}
