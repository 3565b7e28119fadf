package io.headgate.scheduler.runtime.leadership;

import io.headgate.scheduler.runtime.catalog.CatalogSource;
import io.headgate.scheduler.runtime.catalog.CatalogUpdate;
import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.loop.InputQueue;
import io.headgate.scheduler.runtime.record.LoadedState;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// A leader's watches on its catalog sources. Each watch continues at the position that was loaded.
final class CatalogWatches {
  private static final Duration RETRY = Duration.ofMillis(500);

  private final Map<String, CatalogSource.Watch> watches = new LinkedHashMap<>();
  private final Leader leader;
  private final CountDownLatch closed;

  /// Opens no watch yet.
  ///
  /// @param closed at zero once the replica closes; an update that waits for room is then dropped
  CatalogWatches(Leader leader, CountDownLatch closed) {
    this.leader = leader;
    this.closed = closed;
  }

  void open(List<CatalogSource> sources, LoadedState loaded) {
    for (CatalogSource source : sources) {
      LoadedState.Catalog kept =
          loaded.catalogs().getOrDefault(source.name(), LoadedState.Catalog.NONE);
      watches.put(
          source.name(), source.watch(kept.position(), update -> moved(source.name(), update)));
    }
  }

  /// The open watches, by name of their source.
  Map<String, CatalogSource.Watch> all() {
    return watches;
  }

  /// Waits for room in the queue. This is back-pressure: a watch whose update waits reads no
  /// further.
  private void moved(String source, CatalogUpdate update) {
    Command command = new Command.CatalogMoved(source, update);
    try {
      while (leader.offer(command) == InputQueue.Offer.FULL) {
        if (closed.await(RETRY.toMillis(), TimeUnit.MILLISECONDS)) {
          return;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  void close() {
    watches.values().forEach(CatalogSource.Watch::close);
  }
}
