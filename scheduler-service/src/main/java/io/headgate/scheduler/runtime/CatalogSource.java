package io.headgate.scheduler.runtime;

import java.util.List;
import java.util.function.Consumer;

/// Another service's catalog, followed by version.
public interface CatalogSource {

  /// Names it in the database: `supply`, `access`.
  String name();

  /// What was kept of it, as a snapshot.
  CatalogUpdate decode(long version, List<CatalogEntry> entries);

  /// Follows it from a version on, until closed; reconnects and resumes by itself.
  ///
  /// @param sink may block, which slows the watch down
  Watch watch(long fromVersion, Consumer<CatalogUpdate> sink);

  /// A running watch.
  interface Watch extends AutoCloseable {
    @Override
    void close();
  }
}
