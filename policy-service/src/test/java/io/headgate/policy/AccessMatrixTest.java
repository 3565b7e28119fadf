package io.headgate.policy;

import io.headgate.kit.client.ChannelConfig;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.AccessMatrix;
import io.headgate.kit.testing.ApiServerExtension;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.time.TimeSource;
import java.net.URI;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class AccessMatrixTest {
  @TempDir static Path directory;

  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  private static PolicyService service;

  @Order(2)
  @RegisterExtension
  static final ApiServerExtension SERVER =
      new ApiServerExtension(api -> {
        service =
            new PolicyService(
                PolicyServiceConfig.of(
                    POSTGRES.config(),
                    ChannelConfig.of(URI.create("http://127.0.0.1:1")),
                    directory.resolve("secrets")),
                Telemetry.disabled(),
                TimeSource.system());
        service.register(api);
      });

  @AfterAll
  static void close() {
    service.close();
  }

  @TestFactory
  Stream<DynamicTest> everyMethodAdmitsExactlyItsRoles() {
    return AccessMatrix.tests(SERVER);
  }
}
