package io.headgate.pool;

import io.headgate.kit.config.Default;
import io.headgate.kit.config.Setting;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.watch.WatchLimits;

/// The configuration of the service.
public record PoolServiceConfig(
    @Setting(meaning = "Access to PostgreSQL, with the schema `pool`.") DatabaseConfig database,
    @Setting(meaning = "Limits on watches of the catalog.") WatchLimits watch,
    @Setting(
            meaning =
                "Versions of the catalog that are remembered. A watcher that "
                    + "missed more gets a snapshot.",
            bound = "at least 1")
        @Default("10000")
        int catalogLog) {

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
