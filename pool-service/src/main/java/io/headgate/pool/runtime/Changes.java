package io.headgate.pool.runtime;

import io.headgate.pool.runtime.SupplyStore.Committed;
import java.util.function.Function;
import java.util.function.LongConsumer;

/// Commits changes and then notifies the watchers.
public final class Changes {
  private final SupplyStore store;
  private final PoolMetrics metrics;
  private final LongConsumer watchers;

  /// @param watchers receives each new version of the catalog after its commit
  public Changes(SupplyStore store, PoolMetrics metrics, LongConsumer watchers) {
    this.store = store;
    this.metrics = metrics;
    this.watchers = watchers;
  }

  <T> T commit(Caller caller, Function<SupplyTransaction, T> work) {
    Committed<T> committed = store.change(caller, work);
    committed
        .catalogVersion()
        .ifPresent(version -> {
          metrics.catalogChanged();
          watchers.accept(version);
        });
    return committed.value();
  }

  <T> T read(Function<SupplyView, T> work) {
    return store.read(work);
  }
}
