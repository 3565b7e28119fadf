package io.headgate.pool.runtime;

import java.util.OptionalLong;
import java.util.function.Function;

/// Where supply is kept. Thread-safe; blocks.
public interface SupplyStore {
  /// Runs `work` in one transaction on behalf of `caller`. What it throws rolls everything back.
  <T> Committed<T> change(Caller caller, Function<SupplyTransaction, T> work);

  /// Runs `work` on one snapshot of the database.
  <T> T read(Function<SupplyView, T> work);

  /// What a committed transaction made.
  ///
  /// @param catalogVersion of the catalog after it, if watchers have something to see
  record Committed<T>(T value, OptionalLong catalogVersion) {}
}
