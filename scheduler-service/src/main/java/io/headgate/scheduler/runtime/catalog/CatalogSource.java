package io.headgate.scheduler.runtime.catalog;

import io.headgate.kit.position.WatchPosition;
import io.headgate.scheduler.runtime.record.CatalogEntry;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/// Another service's catalog, followed by version.
public interface CatalogSource {

  /// The names of the sources, in the database and in messages about a source that did not answer.
  String SUPPLY = "supply";

  String ACCESS = "access";

  /// [#SUPPLY] or [#ACCESS].
  String name();

  /// Restores a snapshot from the stored entries.
  CatalogUpdate decode(WatchPosition position, List<CatalogEntry> entries);

  /// Follows it from a position on, until closed; reconnects and resumes by itself.
  ///
  /// @param sink may block, which slows the watch down
  Watch watch(WatchPosition from, Consumer<CatalogUpdate> sink);

  /// A running watch.
  interface Watch extends AutoCloseable {
    /// Asks the service now, and returns when everything that was committed there before the call
    /// has gone into the sink. Blocks; thread-safe.
    ///
    /// @throws RuntimeException when it does not answer within the given time
    void refresh(Duration atMost);

    @Override
    void close();
  }
}
