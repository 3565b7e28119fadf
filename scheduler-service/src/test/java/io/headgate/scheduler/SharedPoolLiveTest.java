package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.access;
import static io.headgate.scheduler.Fixtures.group;
import static io.headgate.scheduler.Fixtures.node;
import static io.headgate.scheduler.Fixtures.policy;
import static io.headgate.scheduler.Fixtures.profile;
import static io.headgate.scheduler.Fixtures.queue;
import static io.headgate.scheduler.Fixtures.resources;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.protobuf.util.Timestamps;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.TenantPart;
import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListNodeUsagesRequest;
import io.headgate.proto.scheduler.v1.ListPoolUsagesRequest;
import io.headgate.proto.scheduler.v1.ListUsageIntervalsRequest;
import io.headgate.proto.scheduler.v1.PoolUsage;
import io.headgate.proto.scheduler.v1.UsageInterval;
import io.headgate.proto.scheduler.v1.UsageReportServiceGrpc;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A tenant whose jobs run on nodes of a shared pool, which belong to the platform.
final class SharedPoolLiveTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private Installation installation;
  private JobServiceBlockingStub alice;
  private FakeAgent agent;

  @BeforeEach
  void start() {
    installation = new Installation(POSTGRES.fresh());
    installation.neighbours.provision(
        ResourceConfiguration.newBuilder()
            .setTenant("platform")
            .setVersion(1)
            .addPools(Pool.newBuilder().setName("tenants/platform/pools/h100"))
            .build());
    installation.neighbours.grant(
        AccessConfiguration.newBuilder()
            .setTenant("platform")
            .setVersion(1)
            .addTenants(
                TenantPart.newBuilder()
                    .setName("tenants/acme")
                    .addPools("h100")
                    .setReservation("1")
                    .setLimit("2"))
            .build());
    installation.neighbours.provision(
        resources(List.of(), List.of(profile("one", "1", "platform/h100"))));
    installation.neighbours.grant(
        access(
            List.of(group("rnd", "alice")),
            List.of(policy("rnd", "rnd", "4", "8")),
            List.of(queue("rnd-1", "rnd", "one", 1))));
    installation.neighbours.register(
        node("s-0", "h100", 4).toBuilder().setName("tenants/platform/nodes/s-0").build());
    installation.start().awaitReady("rnd-1");
    alice = installation.alice();
    agent = installation.sharedAgent("s-0").connect();
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  private List<PoolUsage> pools(String tenant) {
    return installation
        .usage(installation.tokens.operator())
        .listPoolUsages(ListPoolUsagesRequest.newBuilder().setParent("tenants/" + tenant).build())
        .getUsagesList();
  }

  @Test
  void itsJobsRunThereWithinItsPartAndGoOnAfterADeath() {
    for (int i = 0; i < 3; i++) {
      submit(alice, submit("rnd-1", "r-" + i));
    }
    awaitState(alice, "r-1", Job.State.STATE_RUNNING);
    assertThat(get(alice, "r-2").getReason().getCode()).isEqualTo("LIMIT");
    agent.awaitAcknowledged();
    installation.kill();
    installation.start();
    FakeAgent.awaitThat(installation.service()::isLeading);

    assertThat(get(alice, "r-1").getState()).isEqualTo(Job.State.STATE_RUNNING);
    agent.connect();
    assertThat(agent.stops()).isEmpty();
    agent.exits("r-0", 0);
    awaitState(alice, "r-0", Job.State.STATE_DONE);
    awaitState(alice, "r-2", Job.State.STATE_RUNNING);
    assertThat(agent.begun().values()).containsOnly(1);
  }

  @Test
  void theTenantSeesItsUseAndNoNode() {
    submit(alice, submit("rnd-1", "r-0"));
    awaitState(alice, "r-0", Job.State.STATE_RUNNING);
    assertThat(pools("acme"))
        .extracting(
            PoolUsage::getPool,
            PoolUsage::getCapacity,
            PoolUsage::getUsed,
            PoolUsage::getIdle,
            PoolUsage::getTaken,
            PoolUsage::getNodes)
        .containsExactly(tuple("platform/h100", "4", "1", "3", "0", 0));
    assertThat(pools("platform")).extracting(PoolUsage::getNodes).containsExactly(1);
    assertThat(
            installation
                .usage(installation.tokens.operator())
                .listNodeUsages(
                    ListNodeUsagesRequest.newBuilder().setParent("tenants/acme").build())
                .getUsagesList())
        .isEmpty();
  }

  @Test
  void thePlatformSeesAllUseOfItsPoolAndATenantItsOwn() {
    submit(alice, submit("rnd-1", "r-0"));
    awaitState(alice, "r-0", Job.State.STATE_RUNNING);

    assertThat(intervals("platform", "s-0"))
        .extracting(
            UsageInterval::getTenant,
            UsageInterval::getPool,
            UsageInterval::getNode,
            UsageInterval::getJob)
        .containsExactly(tuple("acme", "h100", "s-0", "r-0"));
    assertThat(intervals("acme", "platform/s-0"))
        .extracting(
            UsageInterval::getTenant,
            UsageInterval::getPool,
            UsageInterval::getNode,
            UsageInterval::getJob)
        .containsExactly(tuple("", "platform/h100", "platform/s-0", "r-0"));
  }

  private List<UsageInterval> intervals(String tenant, String node) {
    return UsageReportServiceGrpc.newBlockingStub(
            installation.channel(installation.tokens.operator()))
        .listUsageIntervals(
            ListUsageIntervalsRequest.newBuilder()
                .setParent("tenants/" + tenant)
                .setStartTime(Timestamps.fromMillis(System.currentTimeMillis() - 3_600_000))
                .addNodes(node)
                .build())
        .getIntervalsList();
  }
}
