package io.headgate.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.kit.config.ConfigException;
import io.headgate.kit.config.ConfigLoader;
import io.headgate.kit.watch.WatchLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PoolServiceConfigTest {
  private static final String DATABASE =
      "database: {url: 'jdbc:postgresql://db:5432/headgate', user: pool, password: x, schema: pool}\n"
          + "secrets-directory: /var/lib/headgate/pool\n";

  @Test
  void hasDefaults() {
    PoolServiceConfig config = parse(DATABASE);
    assertThat(config)
        .isEqualTo(PoolServiceConfig.of(config.database(), Path.of("/var/lib/headgate/pool")));
  }

  @Test
  void readsEveryKey() {
    PoolServiceConfig config =
        parse(
            DATABASE
                + """
                watch: {heartbeat: 2s, patience: 3s, max-watchers: 4}
                catalog-log: 5
                """);
    assertThat(config.watch())
        .isEqualTo(new WatchLimits(Duration.ofSeconds(2), Duration.ofSeconds(3), 4));
    assertThat(config.catalogLog()).isEqualTo(5);
  }

  @ParameterizedTest
  @CsvSource({
    "catalog-log: 0, catalog-log",
    "watch: {heartbeat: 0s}, heartbeat",
    "watch: {max-watchers: 0}, max-watchers",
    "horizon: 7, horizon"
  })
  void refusesABadValueNamingItsKey(String line, String key) {
    assertThatThrownBy(() -> parse(DATABASE + line))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(key);
  }

  @Test
  void keepsToItsSchema() {
    assertThatThrownBy(() -> parse(DATABASE.replace("schema: pool", "schema: policy")))
        .hasMessageContaining("schema");
  }

  private static PoolServiceConfig parse(String yaml) {
    return ConfigLoader.parse(PoolServiceConfig.class, "pool.yaml", yaml, Map.of());
  }
}
