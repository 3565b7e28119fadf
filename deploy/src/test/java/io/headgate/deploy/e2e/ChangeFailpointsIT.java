package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.AccessConfigurationServiceGrpc;
import io.headgate.proto.policy.v1.GetAccessConfigurationRequest;
import io.headgate.proto.policy.v1.Group;
import io.headgate.proto.policy.v1.Policy;
import io.headgate.proto.policy.v1.Queue;
import io.headgate.proto.policy.v1.ReplaceAccessConfigurationRequest;
import io.headgate.proto.pool.v1.GetResourceConfigurationRequest;
import io.headgate.proto.pool.v1.ListPreparedChangesRequest;
import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.pool.v1.PrepareChangeRequest;
import io.headgate.proto.pool.v1.Profile;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.pool.v1.ResourceConfigurationServiceGrpc;
import io.headgate.proto.scheduler.v1.PlanConfigurationRequest;
import io.headgate.proto.scheduler.v1.PlanServiceGrpc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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

  private static final Duration SOON = Duration.ofMinutes(2);
  private static final Duration POLL = Duration.ofMillis(500);
  private static int tenants;

  @RegisterExtension static final PostgresFixture POLICY = PostgresFixture.of("policy");
  @RegisterExtension static final PostgresFixture POOL = PostgresFixture.of("pool");
  @RegisterExtension static final PostgresFixture SCHEDULER = PostgresFixture.of("scheduler");

  @TempDir private static Path directory;
  private static SeparateServices services;

  /// Halves of a change by which the scheduler decided.
  private final List<String> halves = new ArrayList<>();

  private String tenant;
  private String token;

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
    tenant = "t" + ++tenants;
    services.ensureTenant(tenant);
    token = services.operator();
    prepare("first", 0);
    commit("first", 0);
    awaitInForce(1);
  }

  @ParameterizedTest
  @EnumSource
  void policyServiceDies(io.headgate.policy.runtime.ChangeFailpoint point) {
    boolean isDecided =
        switch (point) {
          case BEFORE_DECISION, BEFORE_COMMIT -> false;
          case AFTER_COMMIT, AFTER_SETTLEMENT, BEFORE_ANSWER -> true;
        };
    prepare("second", 1);
    AtomicBoolean isDead = new AtomicBoolean();
    services.killPolicy();
    services.startPolicy(passed -> {
      if (passed == point || isDead.get()) {
        isDead.set(true);
        throw new IllegalStateException("dead since " + point);
      }
    });
    assertThat(catchThrowableOfType(StatusRuntimeException.class, () -> commit("second", 1)))
        .as("the caller gets no answer")
        .isNotNull();
    services.killPolicy();

    neverDecidesByHalves(1);
    services.startPolicy(io.headgate.policy.runtime.ChangeFailpoint.Handler.NONE);
    services.pass(PATIENCE);
    awaitInForce(isDecided ? 2 : 1);
    theNextChangeWorks(isDecided ? 2 : 1);
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
      prepare("second", 1);
      commit("second", 1);
    } else {
      assertThat(catchThrowableOfType(StatusRuntimeException.class, () -> prepare("second", 1)))
          .isNotNull();
    }
    services.killPool();

    neverDecidesByHalves(1);
    services.startPool(io.headgate.pool.runtime.ChangeFailpoint.Handler.NONE);
    services.pass(PATIENCE);
    awaitInForce(isDecided ? 2 : 1);
    theNextChangeWorks(isDecided ? 2 : 1);
  }

  @Test
  void theSchedulerHasAllOfTheChangeAtItsCommit() {
    services.killPool();
    services.startPool(point -> {
      if (point == io.headgate.pool.runtime.ChangeFailpoint.BEFORE_SETTLED) {
        throw new IllegalStateException("nothing is settled");
      }
    });
    prepare("second", 1);
    assertThat(decidesBy(1, 1)).as("prepared is not in force").isTrue();
    commit("second", 1);
    awaitScheduler(2);
    assertThat(resources()).as("pool-service has not heard of it").isEqualTo(1);

    services.killPool();
    services.startPool(io.headgate.pool.runtime.ChangeFailpoint.Handler.NONE);
    awaitInForce(2);
  }

  @Test
  void theClientDiesBetweenItsCalls() {
    prepare("second", 1);
    assertThat(prepared()).isEqualTo(1);
    services.pass(PATIENCE);
    awaitInForce(1);
    assertThat(refusal(() -> commit("second", 1)).getStatus().getCode())
        .as("too late")
        .isEqualTo(Status.Code.ABORTED);
    theNextChangeWorks(1);
  }

  @Test
  void theSchedulerDiesWhileAChangeIsPrepared() {
    prepare("second", 1);
    services.killScheduler();
    commit("second", 1);
    services.startScheduler();
    awaitInForce(2);
  }

  @Test
  void aSecondChangeWaitsForTheFirstAndARefusedOneIsOver() {
    prepare("second", 1);
    StatusRuntimeException busy = refusal(() -> prepare("third", 1));
    assertThat(busy.getStatus().getDescription()).contains("operators/root is applying a change");
    assertThat(refusal(() -> commit("second", 7)).getStatus().getCode())
        .isEqualTo(Status.Code.ABORTED);
    theNextChangeWorks(1);
  }

  private void theNextChangeWorks(int version) {
    prepare("next", version);
    commit("next", version);
    awaitInForce(version + 1);
  }

  private static StatusRuntimeException refusal(Runnable call) {
    return catchThrowableOfType(StatusRuntimeException.class, call::run);
  }

  /// The change to the version after `base`, in both services.
  private void prepare(String change, int base) {
    pools()
        .prepareChange(
            PrepareChangeRequest.newBuilder()
                .setParent(parent())
                .setChangeId(id(change))
                .setBaseVersion(base)
                .setConfiguration(
                    ResourceConfiguration.newBuilder()
                        .addPools(
                            Pool.newBuilder()
                                .setName(parent() + "/pools/p")
                                .setType(Pool.Type.TYPE_STATIC))
                        .addProfiles(
                            Profile.newBuilder()
                                .setName(parent() + "/profiles/f")
                                .setGpus(Integer.toString(base + 1))
                                .setWorkers(1)
                                .addPools("p")))
                .build());
  }

  /// An operator's ids of requests are unique over all tenants.
  private String id(String change) {
    return change + "-" + tenant;
  }

  private void commit(String change, int base) {
    AccessConfigurationServiceGrpc.newBlockingStub(services.policy(token))
        .replaceAccessConfiguration(
            ReplaceAccessConfigurationRequest.newBuilder()
                .setParent(parent())
                .setChangeId(id(change))
                .setIfVersion(base)
                .setConfiguration(
                    AccessConfiguration.newBuilder()
                        .addGroups(Group.newBuilder().setName(parent() + "/groups/g"))
                        .addPolicies(
                            Policy.newBuilder()
                                .setName(parent() + "/policies/g")
                                .setGroup("g")
                                .setWeight(1)
                                .setLimit(Integer.toString(base + 1)))
                        .addQueues(
                            Queue.newBuilder()
                                .setName(parent() + "/queues/q")
                                .setPolicy("g")
                                .setProfile("f")
                                .setRank(1)))
                .build());
  }

  /// Waits until all three services have both halves in this version, and nothing is prepared.
  private void awaitInForce(int version) {
    await()
        .atMost(SOON)
        .pollInterval(POLL)
        .ignoreExceptions()
        .untilAsserted(() -> {
          assertThat(prepared()).isZero();
          assertThat(resources()).isEqualTo(version);
          assertThat(access()).isEqualTo(version);
        });
    awaitScheduler(version);
  }

  private void awaitScheduler(int version) {
    await()
        .atMost(SOON)
        .pollInterval(POLL)
        .ignoreExceptions()
        .until(() -> {
          seeHalves(version);
          return decidesBy(version, version);
        });
    neverDecidesByHalves(version);
  }

  /// Remembers a half that is in force now. A refusal of another kind tells nothing, and the poll
  /// repeats it.
  private void seeHalves(int version) {
    for (int older = Math.max(1, version - 1); older <= version; older++) {
      if (decidesBy(older + 1, older)) {
        halves.add("new supply %d and old rights %d".formatted(older + 1, older));
      }
      if (decidesBy(older, older + 1)) {
        halves.add("old supply %d and new rights %d".formatted(older, older + 1));
      }
    }
  }

  /// Fails also for a half that was in force only while the test waited.
  ///
  /// @param version in force, or the one before it or after it
  private void neverDecidesByHalves(int version) {
    seeHalves(version);
    assertThat(halves).as("halves of a change that the scheduler decided by").isEmpty();
  }

  /// Whether the scheduler decides by these versions. It asks the other services for news first.
  private boolean decidesBy(int resources, int access) {
    try {
      PlanServiceGrpc.newBlockingStub(services.scheduler(token))
          .planConfiguration(
              PlanConfigurationRequest.newBuilder()
                  .setParent(parent())
                  .setIfResourceVersion(resources)
                  .setIfAccessVersion(access)
                  .build());
      return true;
    } catch (StatusRuntimeException e) {
      if (e.getStatus().getCode() == Status.Code.ABORTED) {
        return false;
      }
      throw e;
    }
  }

  private int prepared() {
    return pools()
        .listPreparedChanges(ListPreparedChangesRequest.newBuilder().setParent(parent()).build())
        .getChangesCount();
  }

  private long resources() {
    return pools()
        .getResourceConfiguration(
            GetResourceConfigurationRequest.newBuilder().setParent(parent()).build())
        .getVersion();
  }

  private long access() {
    return AccessConfigurationServiceGrpc.newBlockingStub(services.policy(token))
        .getAccessConfiguration(
            GetAccessConfigurationRequest.newBuilder().setParent(parent()).build())
        .getVersion();
  }

  private ResourceConfigurationServiceGrpc.ResourceConfigurationServiceBlockingStub pools() {
    return ResourceConfigurationServiceGrpc.newBlockingStub(services.pool(token));
  }

  private String parent() {
    return "tenants/" + tenant;
  }
}
