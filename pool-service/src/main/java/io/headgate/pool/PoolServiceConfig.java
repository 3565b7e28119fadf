package io.headgate.pool;

import io.headgate.kit.config.Default;
import io.headgate.kit.config.Setting;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.watch.WatchLimits;
import java.nio.file.Path;

/// The configuration of the service.
public record PoolServiceConfig(
    @Setting(meaning = "Access to PostgreSQL, with the schema `pool`.") DatabaseConfig database,
    @Setting(
            meaning =
                "Directory of the file `key-encryption-key`, apart from the database. "
                    + "Created if absent, readable by its owner only.")
        Path secretsDirectory,
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

  /// The defaults.
  public static PoolServiceConfig of(DatabaseConfig database, Path secretsDirectory) {
    return new PoolServiceConfig(database, secretsDirectory, WatchLimits.DEFAULTS, 10_000);
  }
}
