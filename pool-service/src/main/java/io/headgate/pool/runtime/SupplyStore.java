package io.headgate.pool.runtime;

import java.util.OptionalLong;
import java.util.function.Function;

/// Stores the supply. Thread-safe; blocks.
public interface SupplyStore {
  /// Runs `work` in one transaction on behalf of `caller`. An exception rolls everything back.
  <T> Committed<T> change(Caller caller, Function<SupplyTransaction, T> work);

  /// Runs `work` on one snapshot of the database.
  <T> T read(Function<SupplyView, T> work);

  /// The result of a committed transaction.
  ///
  /// @param catalogVersion of the catalog after it; absent if watchers see no change
  record Committed<T>(T value, OptionalLong catalogVersion) {}
}
