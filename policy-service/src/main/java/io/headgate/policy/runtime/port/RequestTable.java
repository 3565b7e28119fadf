package io.headgate.policy.runtime.port;

import io.headgate.policy.runtime.Once;
import java.util.function.Supplier;

/// Answers to requests that may be repeated.
public interface RequestTable {
  /// The bytes of the first answer to `request`, or else those of `change`, which are stored.
  byte[] once(Once.RequestKey request, Supplier<byte[]> change);
}
