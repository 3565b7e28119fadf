package io.headgate.pool.runtime;

import java.util.OptionalLong;
import java.util.function.Function;

/// Stores the supply. A transaction reaches the rows of the tenant of the current RPC's caller; all
/// rows for callers that are bound to no tenant, and none without a caller. Thread-safe; blocks.
public interface SupplyStore {
  /// Runs `work` in one transaction on behalf of `caller`. An exception rolls everything back.
  <T> Committed<T> change(Caller caller, Function<SupplyTransaction, T> work);

  /// Like [#read], on the rows of every tenant: for watches, which have the service's own threads.
  <T> T readAcrossTenants(Function<SupplyView, T> work);

  /// Runs `work` on one snapshot of the database.
  <T> T read(Function<SupplyView, T> work);

  /// The result of a committed transaction.
  ///
  /// @param catalogVersion of the catalog after it; absent if watchers see no change
  record Committed<T>(T value, OptionalLong catalogVersion) {}
}
