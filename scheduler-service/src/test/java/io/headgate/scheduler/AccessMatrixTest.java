package io.headgate.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.kit.config.Secret;
import io.headgate.kit.grpc.HandBrake;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.AccessMatrix;
import io.headgate.kit.testing.ApiServerExtension;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.TestChannels;
import io.headgate.kit.testing.TestSecrets;
import io.headgate.kit.testing.TestTokens;
import io.headgate.kit.time.TimeSource;
import io.headgate.scheduler.runtime.leadership.Members;
import io.headgate.scheduler.runtime.record.Failpoint;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The access matrix of a scheduler that leads, so that no call is refused for another reason
/// first.
class AccessMatrixTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private static Neighbours neighbours;
  private static SchedulerService service;

  @Order(2)
  @RegisterExtension
  static final ApiServerExtension SERVER =
      new ApiServerExtension(api -> {
        neighbours = new Neighbours(tokens());
        service =
            new SchedulerService(
                SchedulerConfig.of(
                        POSTGRES.fresh(),
                        TestSecrets.directory(),
                        "127.0.0.1:1",
                        TestChannels.patient(neighbours.uri()),
                        TestChannels.patient(neighbours.uri()),
                        Secret.of(Neighbours.KEY))
                    .with(Installation.TIMES),
                Telemetry.disabled(),
                TimeSource.system(),
                new Surroundings(
                    _ -> Members.unwatched(_ -> false),
                    _ -> new HandBrake().brake(),
                    Failpoint.Handler.NONE));
        service.register(api);
      });

  private static TestTokens tokens() {
    return SERVER.tokens();
  }

  @BeforeAll
  static void lead() {
    service.start();
    await().atMost(Installation.PATIENCE).until(service::isLeading);
  }

  @AfterAll
  static void close() {
    service.close();
    neighbours.close();
  }

  @TestFactory
  Stream<DynamicTest> everyMethodAdmitsExactlyItsRoles() {
    return AccessMatrix.tests(SERVER);
  }

  @Test
  void isAboutEveryServiceOfTheScheduler() {
    assertThat(SERVER.server().services())
        .extracting(served -> served.getServiceDescriptor().getName())
        .containsAll(
            List.of(
                "headgate.scheduler.v1.JobService",
                "headgate.scheduler.v1.UsageService",
                "headgate.scheduler.v1.PlanService",
                "headgate.agent.v1.AgentService"));
  }
}
