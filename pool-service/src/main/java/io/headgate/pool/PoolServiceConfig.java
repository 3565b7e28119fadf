package io.headgate.pool;

import io.headgate.kit.config.Default;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.watch.WatchLimits;

/// The configuration of the service.
///
/// @param database with the schema `pool`
/// @param watch bounds of catalog watches
/// @param catalogLog versions of the catalog that are remembered; a watcher that returns later gets
///   a snapshot
public record PoolServiceConfig(
    DatabaseConfig database, WatchLimits watch, @Default("10000") int catalogLog) {

  public PoolServiceConfig {
    if (!database.schema().equals("pool")) {
      throw new IllegalArgumentException(
          "database.schema: is 'pool' for this service, not '" + database.schema() + "'");
    }
    if (catalogLog < 1) {
      throw new IllegalArgumentException("catalog-log: at least 1, not " + catalogLog);
    }
  }

  /// The defaults on `database`.
  public static PoolServiceConfig of(DatabaseConfig database) {
    return new PoolServiceConfig(database, WatchLimits.DEFAULTS, 10_000);
  }
}
