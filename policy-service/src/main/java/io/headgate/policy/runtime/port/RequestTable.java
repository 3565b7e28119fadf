package io.headgate.policy.runtime.port;

import java.util.function.Supplier;

/// Answers to requests that may be repeated.
public interface RequestTable {
  /// The bytes of the first answer to `request`, or else those of `change`, which are stored.
  byte[] once(RequestKey request, Supplier<byte[]> change);
}
