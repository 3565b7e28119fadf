package io.headgate.policy.runtime.port;

import java.util.function.Function;

/// The durable state. Each call is one transaction; an exception of `work` rolls it back and is
/// rethrown. `work` must run on the calling thread and must not keep the tables. Thread-safe.
public interface PolicyStore {
  /// Reads one snapshot.
  <T> T read(Function<Tables, T> work);

  /// Changes the state atomically.
  <T> T change(Function<Tables, T> work);
}
