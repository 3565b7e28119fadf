package io.headgate.pool;

import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.TestSecrets;
import io.headgate.kit.time.TimeSource;
import io.headgate.kit.watch.WatchLimits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// The service on the database of a test class. Register it between the {@link PostgresFixture} and
/// the server.
final class PoolFixture implements BeforeAllCallback, AfterAllCallback {
  /// So small that tests see it overflow.
  static final int CATALOG_LOG = 100;

  private final PostgresFixture postgres;
  private final WatchLimits limits =
      new WatchLimits(Duration.ofSeconds(1), Duration.ofSeconds(60), 100);
  private @Nullable PoolService service;

  private PoolFixture(PostgresFixture postgres) {
    this.postgres = postgres;
  }

  static PoolFixture on(PostgresFixture postgres) {
    return new PoolFixture(postgres);
  }

  void register(ApiServer.Builder api) {
    if (service == null) {
      throw new IllegalStateException("the service is used outside of its test class");
    }
    service.register(api);
  }

  /// Another instance on the same database, as a second process would have.
  PoolService open() {
    PoolService opened =
        PoolService.open(
            new PoolServiceConfig(postgres.config(), TestSecrets.directory(), limits, CATALOG_LOG),
            Telemetry.disabled(),
            TimeSource.system());
    opened.start();
    return opened;
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    service = open();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (service != null) {
      service.close();
    }
  }
}
