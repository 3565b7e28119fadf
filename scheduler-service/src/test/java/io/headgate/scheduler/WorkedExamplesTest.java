package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.access;
import static io.headgate.scheduler.Fixtures.group;
import static io.headgate.scheduler.Fixtures.node;
import static io.headgate.scheduler.Fixtures.policy;
import static io.headgate.scheduler.Fixtures.pool;
import static io.headgate.scheduler.Fixtures.profile;
import static io.headgate.scheduler.Fixtures.queue;
import static io.headgate.scheduler.Fixtures.resources;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.agent.v1.Stop;
import io.headgate.proto.scheduler.v1.Event;
import io.headgate.proto.scheduler.v1.ExplainJobRequest;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobExplanation;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListEventsRequest;
import io.headgate.proto.scheduler.v1.ListPolicyUsagesRequest;
import io.headgate.proto.scheduler.v1.PolicyUsage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The two worked examples of the rules, through the whole service.
final class WorkedExamplesTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private Installation installation;

  @BeforeEach
  void start() {
    installation = new Installation(POSTGRES.fresh());
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  @Test
  void reclaimsAReservationAndComesToRest() {
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
    FakeAgent agent = installation.agent("a-0").connect();
    JobServiceBlockingStub alice = installation.alice();
    JobServiceBlockingStub eve = installation.eve();

    for (int i = 0; i < 5; i++) {
      submit(alice, submit("rnd-3", "r-" + i));
    }
    for (int i = 0; i < 3; i++) {
      awaitState(alice, "r-" + i, Job.State.STATE_RUNNING);
    }
    Job fourth = get(alice, "r-3");
    assertThat(fourth.getState()).isEqualTo(Job.State.STATE_WAITING);
    assertThat(fourth.getReason().getCode()).isEqualTo("LIMIT");
    assertThat(fourth.getReason().getDetailMap())
        .containsEntry("usage", "9")
        .containsEntry("need", "3")
        .containsEntry("limit", "9");
    assertThat(get(alice, "r-4").getPosition()).isEqualTo(2);

    submit(eve, submit("devops-3", "d-0"));
    Stop stop = agent.awaitStop("r-2");
    assertThat(stop.getKind()).isEqualTo(Stop.Kind.KIND_PREEMPT);
    awaitState(eve, "d-0", Job.State.STATE_RUNNING);
    Job victim = awaitState(alice, "r-2", Job.State.STATE_WAITING);
    assertThat(victim.getAttempts(0).getPreemption().getByJob()).isEqualTo("another team's job");
    assertThat(victim.getAttempts(0).getPreemption().getRule()).isEqualTo("P1");
    assertThat(preemptions(alice, "r-2"))
        .singleElement()
        .satisfies(event -> {
          assertThat(event.getMessage())
              .isEqualTo("r-2 is preempted by another team's job (rule P1)");
          assertThat(event.getDetailMap())
              .containsEntry("victimUsage", "9")
              .doesNotContainKeys("policy", "usage", "reservation");
        });

    JobServiceBlockingStub admin = installation.jobs(installation.tokens.admin("acme"));
    assertThat(get(admin, "r-2").getAttempts(0).getPreemption().getByJob()).isEqualTo("d-0");
    assertThat(preemptions(admin, "r-2"))
        .singleElement()
        .satisfies(event -> {
          assertThat(event.getMessage())
              .isEqualTo(
                  "r-2 is preempted by d-0 (rule P1): devops used 0 of its reservation 5 and"
                      + " needed 3, rnd used 9 of 5");
          assertThat(event.getDetailMap())
              .containsEntry("victimUsage", "9")
              .containsEntry("victimReservation", "5")
              .containsEntry("need", "3");
        });

    submit(eve, submit("devops-2", "e-0"));
    agent.awaitStop("r-1");
    awaitState(eve, "e-0", Job.State.STATE_RUNNING);
    awaitState(alice, "r-1", Job.State.STATE_WAITING);

    assertThat(get(alice, "r-0").getState()).isEqualTo(Job.State.STATE_RUNNING);
    assertThat(usage("rnd").getUsed()).isEqualTo("3");
    assertThat(usage("devops").getUsed()).isEqualTo("5");
    assertThat(usage("rnd").getWaitingJobs()).isEqualTo(4);
    // The preempted keep their places, before those that never ran.
    assertThat(get(alice, "r-1").getPosition()).isEqualTo(1);
    assertThat(get(alice, "r-2").getPosition()).isEqualTo(2);
    assertThat(get(alice, "r-4").getPosition()).isEqualTo(4);

    JobExplanation explanation =
        installation
            .jobs(installation.tokens.admin("acme"))
            .explainJob(
                ExplainJobRequest.newBuilder().setName(Fixtures.ACME + "/jobs/r-1").build());
    assertThat(explanation.getVerdict())
        .contains("r-1 waits for CAPACITY")
        .contains("preempted by e-0 (rule P1: devops used 3 of its reservation 5 and needed 2")
        .contains("position 1 of 4 in rnd-3")
        .endsWith(
            "Its start is unknown: jobs in its way have not declared how long they run"
                + " (maxRuntime), and earlier runs do not tell.");
    assertThat(explanation.getStartChecksList()).isNotEmpty();
    assertThat(explanation.getPreemptionChecksList()).isNotEmpty();
    assertThat(explanation.getHistoryList()).hasSizeGreaterThan(4);
  }

  @Test
  void routesByPolicyPriorityAndPool() {
    installation.neighbours.provision(
        resources(
            List.of(pool("bare-metal"), pool("h100")),
            List.of(profile("four", "4", "bare-metal", "h100"))));
    installation.neighbours.grant(
        access(
            List.of(group("dev", "alice"), group("research", "eve")),
            List.of(policy("dev", "dev", "8", "16"), policy("research", "research", "8", "16")),
            List.of(queue("dev-4", "dev", "four", 1), queue("research-4", "research", "four", 2))));
    installation.neighbours.register(node("bm-0", "bare-metal", 8));
    installation.neighbours.register(node("h-0", "h100", 8));
    installation.start().awaitReady("dev-4");
    JobServiceBlockingStub alice = installation.alice();
    JobServiceBlockingStub eve = installation.eve();
    List<String> dev = new ArrayList<>();
    List<String> research = new ArrayList<>();
    // All jobs wait before the first node joins, so that priority decides and not arrival.
    for (int i = 0; i < 4; i++) {
      research.add(submit(eve, submit("research-4", "research-" + i)));
      dev.add(submit(alice, submit("dev-4", "dev-" + i)));
    }
    FakeAgent bareMetal = installation.agent("bm-0");
    FakeAgent h100 = installation.agent("h-0");
    bareMetal.connect();
    h100.connect();

    awaitState(alice, "dev-0", Job.State.STATE_RUNNING);
    awaitState(alice, "dev-1", Job.State.STATE_RUNNING);
    awaitState(eve, "research-0", Job.State.STATE_RUNNING);
    awaitState(eve, "research-1", Job.State.STATE_RUNNING);
    assertThat(poolOf(get(alice, "dev-0"))).isEqualTo("bare-metal");
    assertThat(poolOf(get(alice, "dev-1"))).isEqualTo("bare-metal");
    assertThat(poolOf(get(eve, "research-0"))).isEqualTo("h100");
    assertThat(poolOf(get(eve, "research-1"))).isEqualTo("h100");
    assertThat(get(alice, "dev-2").getState()).isEqualTo(Job.State.STATE_WAITING);
    assertThat(get(eve, "research-2").getState()).isEqualTo(Job.State.STATE_WAITING);
  }

  private static List<Event> preemptions(JobServiceBlockingStub jobs, String job) {
    return jobs
        .listEvents(ListEventsRequest.newBuilder().setParent(Fixtures.ACME).setJob(job).build())
        .getEventsList()
        .stream()
        .filter(event -> event.getType() == Event.Type.TYPE_PREEMPTED)
        .toList();
  }

  private static String poolOf(Job job) {
    return job.getAttempts(0).getPool();
  }

  private PolicyUsage usage(String policy) {
    return installation
        .usage(installation.tokens.admin("acme"))
        .listPolicyUsages(ListPolicyUsagesRequest.newBuilder().setParent(Fixtures.ACME).build())
        .getUsagesList()
        .stream()
        .filter(usage -> usage.getPolicy().equals(policy))
        .findFirst()
        .orElseThrow();
  }
}
