package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.headgate.kit.testing.PostgresFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A change of supply and rights in which a process dies at each step. The steps are enumerated, so
/// a new one cannot be without its crash. Afterwards all of the change is in force in all three
/// services, or nothing is; and the scheduler never decides by halves of it.
@Tag("faults")
class ChangeFailpointsIT {
  /// After this, an undecided change is abandoned.
  private static final Duration PATIENCE = Duration.ofSeconds(16);

  private static int tenants;

  @RegisterExtension static final PostgresFixture POLICY = PostgresFixture.of("policy");
  @RegisterExtension static final PostgresFixture POOL = PostgresFixture.of("pool");
  @RegisterExtension static final PostgresFixture SCHEDULER = PostgresFixture.of("scheduler");

  @TempDir private static Path directory;
  private static SeparateServices services;

  private ChangingTenant tenant;

  @BeforeAll
  static void start() throws Exception {
    services =
        new SeparateServices(
                new SeparateServices.Databases(POLICY.fresh(), POOL.fresh(), SCHEDULER.fresh()),
                Files.createDirectories(directory.resolve("secrets")))
            .start();
  }

  @AfterAll
  static void stop() {
    services.close();
  }

  /// A tenant in version 1.1.
  @BeforeEach
  void begin() {
    String id = "t" + ++tenants;
    services.ensureTenant(id);
    tenant = ChangingTenant.inFirstVersion(services, id, services.operator());
  }

  @ParameterizedTest
  @EnumSource
  void policyServiceDies(io.headgate.policy.runtime.ChangeFailpoint point) {
    boolean isDecided =
        switch (point) {
          case BEFORE_DECISION, BEFORE_COMMIT -> false;
          case AFTER_COMMIT, AFTER_SETTLEMENT, BEFORE_ANSWER -> true;
        };
    tenant.prepare("second", 1);
    AtomicBoolean isDead = new AtomicBoolean();
    services.killPolicy();
    services.startPolicy(passed -> {
      if (passed == point || isDead.get()) {
        isDead.set(true);
        throw new IllegalStateException("dead since " + point);
      }
    });
    assertThat(catchThrowableOfType(StatusRuntimeException.class, () -> tenant.commit("second", 1)))
        .as("the caller gets no answer")
        .isNotNull();
    services.killPolicy();

    tenant.neverDecidesByHalves(1);
    services.startPolicy(io.headgate.policy.runtime.ChangeFailpoint.Handler.NONE);
    services.pass(PATIENCE);
    tenant.awaitInForce(isDecided ? 2 : 1);
    tenant.theNextChangeWorks(isDecided ? 2 : 1);
  }

  @ParameterizedTest
  @EnumSource
  void poolServiceDies(io.headgate.pool.runtime.ChangeFailpoint point) {
    boolean isDecided =
        switch (point) {
          case BEFORE_PREPARED, AFTER_PREPARED -> false;
          case BEFORE_SETTLED, AFTER_SETTLED -> true;
        };
    AtomicBoolean isDead = new AtomicBoolean();
    services.killPool();
    services.startPool(passed -> {
      if (passed == point || isDead.get()) {
        isDead.set(true);
        throw new IllegalStateException("dead since " + point);
      }
    });
    if (isDecided) {
      tenant.prepare("second", 1);
      tenant.commit("second", 1);
    } else {
      assertThat(
              catchThrowableOfType(StatusRuntimeException.class, () -> tenant.prepare("second", 1)))
          .isNotNull();
    }
    services.killPool();

    tenant.neverDecidesByHalves(1);
    services.startPool(io.headgate.pool.runtime.ChangeFailpoint.Handler.NONE);
    services.pass(PATIENCE);
    tenant.awaitInForce(isDecided ? 2 : 1);
    tenant.theNextChangeWorks(isDecided ? 2 : 1);
  }

  @Test
  void theSchedulerHasAllOfTheChangeAtItsCommit() {
    services.killPool();
    services.startPool(point -> {
      if (point == io.headgate.pool.runtime.ChangeFailpoint.BEFORE_SETTLED) {
        throw new IllegalStateException("nothing is settled");
      }
    });
    tenant.prepare("second", 1);
    assertThat(tenant.decidesBy(1, 1)).as("prepared is not in force").isTrue();
    tenant.commit("second", 1);
    tenant.awaitScheduler(2);
    assertThat(tenant.resources()).as("pool-service has not heard of it").isEqualTo(1);

    services.killPool();
    services.startPool(io.headgate.pool.runtime.ChangeFailpoint.Handler.NONE);
    tenant.awaitInForce(2);
  }

  @Test
  void theClientDiesBetweenItsCalls() {
    tenant.prepare("second", 1);
    assertThat(tenant.prepared()).isEqualTo(1);
    services.pass(PATIENCE);
    tenant.awaitInForce(1);
    assertThat(refusal(() -> tenant.commit("second", 1)).getStatus().getCode())
        .as("too late")
        .isEqualTo(Status.Code.ABORTED);
    tenant.theNextChangeWorks(1);
  }

  @Test
  void theSchedulerDiesWhileAChangeIsPrepared() {
    tenant.prepare("second", 1);
    services.killScheduler();
    tenant.commit("second", 1);
    services.startScheduler();
    tenant.awaitInForce(2);
  }

  @Test
  void aSecondChangeWaitsForTheFirstAndARefusedOneIsOver() {
    tenant.prepare("second", 1);
    StatusRuntimeException busy = refusal(() -> tenant.prepare("third", 1));
    assertThat(busy.getStatus().getDescription()).contains("operators/root is applying a change");
    assertThat(refusal(() -> tenant.commit("second", 7)).getStatus().getCode())
        .isEqualTo(Status.Code.ABORTED);
    tenant.theNextChangeWorks(1);
  }

  private static StatusRuntimeException refusal(Runnable call) {
    return catchThrowableOfType(StatusRuntimeException.class, call::run);
  }
}
