package io.headgate.policy.runtime.port;

import java.util.function.Function;

/// The durable truth. Each call is one transaction; what `work` throws rolls it back and is thrown
/// on. `work` may run on no other thread and must not keep the tables. Thread-safe.
public interface PolicyStore {
  /// Reads one state of everything, as of one moment.
  <T> T read(Function<Tables, T> work);

  /// Changes something; all of it or nothing.
  <T> T change(Function<Tables, T> work);
}
