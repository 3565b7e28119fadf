package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status.Code;
import io.headgate.kit.grpc.HandBrake;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.agent.v1.ConnectResponse;
import io.headgate.proto.scheduler.v1.BatchSubmitJobsRequest;
import io.headgate.proto.scheduler.v1.CancelJobRequest;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListJobsRequest;
import io.headgate.proto.scheduler.v1.PlanConfigurationRequest;
import io.headgate.proto.scheduler.v1.PlanServiceGrpc;
import io.headgate.proto.scheduler.v1.PlanServiceGrpc.PlanServiceBlockingStub;
import io.headgate.proto.scheduler.v1.WatchEventsRequest;
import io.headgate.proto.scheduler.v1.WatchJobsRequest;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A scheduler whose memory is short takes no new work, and ends and shows the work that it has.
final class MemoryShortTest {
  private static final long MIB = 1 << 20;

  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private final HandBrake memory = new HandBrake();
  private Installation installation;
  private JobServiceBlockingStub alice;
  private PlanServiceBlockingStub plans;
  private FakeAgent agent;

  @BeforeEach
  void start() {
    installation = new Installation(POSTGRES.fresh()).with(memory);
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
    alice = installation.alice();
    plans =
        PlanServiceGrpc.newBlockingStub(installation.channel(installation.tokens.admin("acme")));
    agent = installation.agent("a-0").connect();
    for (String job : new String[] {"ends", "stops"}) {
      submit(alice, submit("rnd-1", job));
      awaitState(alice, job, Job.State.STATE_RUNNING);
    }
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  private PlanConfigurationRequest plan() {
    return PlanConfigurationRequest.newBuilder().setParent(ACME).build();
  }

  @Test
  void newWorkIsRefusedWhileMemoryIsShort() {
    memory.leaves(900 * MIB, 1000 * MIB);
    Map<String, ThrowingCallable> newWork =
        Map.of(
            "a job", () -> alice.submitJob(submit("rnd-1", "new")),
            "a batch",
                () ->
                    alice.batchSubmitJobs(
                        BatchSubmitJobsRequest.newBuilder()
                            .setParent(ACME)
                            .addRequests(submit("rnd-1", "new"))
                            .build()),
            "a watch of jobs",
                () -> alice.watchJobs(WatchJobsRequest.newBuilder().setParent(ACME).build()).next(),
            "a watch of events",
                () ->
                    alice
                        .watchEvents(WatchEventsRequest.newBuilder().setParent(ACME).build())
                        .next(),
            "a plan", () -> plans.planConfiguration(plan()));
    newWork.forEach((what, call) -> {
      Refused refused = Refused.by(call).hasReason(Code.RESOURCE_EXHAUSTED, "MEMORY_SHORT");
      assertThat(refused.refusal().message())
          .as(what)
          .contains("900 of 1000 MiB in use, 80 % may be");
      assertThat(refused.refusal().retryAfter()).as(what).isPositive();
    });

    memory.leaves(700 * MIB, 1000 * MIB);
    assertThat(submit(alice, submit("rnd-1", "new"))).as("memory suffices again").isEqualTo("new");
  }

  @Test
  void whatIsThereGoesOnWhileMemoryIsShort() {
    memory.leaves(900 * MIB, 1000 * MIB);
    agent.exits("ends", 0);
    awaitState(alice, "ends", Job.State.STATE_DONE);
    alice.cancelJob(CancelJobRequest.newBuilder().setName(ACME + "/jobs/stops").build());
    awaitState(alice, "stops", Job.State.STATE_CANCELLED);
    assertThat(alice.listJobs(ListJobsRequest.newBuilder().setParent(ACME).build()).getJobsList())
        .hasSize(2);

    agent.disconnect();
    agent.connect();
    long said = agent.heartbeat();
    FakeAgent.awaitThat(() -> agent.has(heard -> heard.getHeartbeatReply().getNumber() == said));
    assertThat(agent.has(ConnectResponse::hasWelcome)).as("agents may come back").isTrue();
  }

  /// Two jobs take 4 KiB of a plan, which are not free, although the brake is off.
  @Test
  void aPlanIsRefusedThatNeedsMoreMemoryThanIsFree() {
    memory.leaves(3000, 6000);
    Refused refused = Refused.by(() -> plans.planConfiguration(plan()));
    refused.hasReason(Code.RESOURCE_EXHAUSTED, "MEMORY_SHORT");
    assertThat(refused.refusal().message()).startsWith("a plan over 2 jobs needs about");

    memory.leaves(3000, 9000);
    assertThat(plans.planConfiguration(plan()).getWaits().getJobsCount()).isZero();
  }
}
