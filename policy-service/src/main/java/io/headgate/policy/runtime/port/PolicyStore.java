package io.headgate.policy.runtime.port;

import java.util.function.Function;

/// The durable state. Each call is one transaction; an exception of `work` rolls it back and is
/// rethrown. `work` must run on the calling thread and must not keep the tables. A transaction
/// reaches the rows of the tenant of the current RPC's caller; all rows for callers that are bound
/// to no tenant, and none without a caller. Thread-safe.
public interface PolicyStore {
  /// Reads one snapshot.
  <T> T read(Function<Tables, T> work);

  /// The same state, with transactions that reach the rows of every tenant: for work of the service
  /// itself, and for calls whose caller is not known yet.
  PolicyStore acrossTenants();

  /// Changes the state atomically.
  <T> T change(Function<Tables, T> work);
}
