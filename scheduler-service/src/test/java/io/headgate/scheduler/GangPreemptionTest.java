package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
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
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.pool.v1.Warning;
import io.headgate.proto.scheduler.v1.BatchSubmitJobsRequest;
import io.headgate.proto.scheduler.v1.Event;
import io.headgate.proto.scheduler.v1.ExplainJobRequest;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobExplanation;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.Preemption;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A gang of 16 GPUs on a reservation of 8, from its submission to its preemption by a job of half
/// a GPU.
final class GangPreemptionTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private Installation installation;
  private JobServiceBlockingStub alice;

  /// Two nodes of 8 GPUs. The policy rnd reserves 8 of them, and devops 4.
  @BeforeEach
  void start() {
    installation = new Installation(POSTGRES.fresh());
    installation.neighbours.provision(
        resources(
            List.of(pool("onprem")),
            List.of(
                gang("sixteen", "8", 2),
                gang("eight", "4", 2),
                profile("large", "8", "onprem"),
                profile("half", "1/2", "onprem"))));
    installation.neighbours.grant(
        access(
            List.of(group("rnd", "alice"), group("devops", "eve")),
            List.of(policy("rnd", "rnd", "8", "16"), policy("devops", "devops", "4", "16")),
            List.of(
                queue("rnd-16", "rnd", "sixteen", 1),
                queue("rnd-8", "rnd", "eight", 1),
                queue("rnd-large", "rnd", "large", 1),
                queue("devops-half", "devops", "half", 1))));
    for (String name : List.of("n-0", "n-1")) {
      installation.neighbours.register(node(name, "onprem", 8));
    }
    installation.start().awaitReady("rnd-16");
    alice = installation.alice();
  }

  private static io.headgate.proto.pool.v1.Profile gang(String id, String gpus, int workers) {
    return profile(id, gpus, "onprem").toBuilder().setWorkers(workers).build();
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  @Test
  void itsSubmitterIsWarnedOfItsPreemption() {
    Warning warning =
        Warning.newBuilder()
            .setReason("GANG_ABOVE_RESERVATION")
            .setMessage(
                "it asks for 16 GPUs, and policy rnd reserves 8: the whole gang may be preempted")
            .setField("spec.queue")
            .build();
    SubmitJobRequest gang = submit("rnd-16", "g").toBuilder().setRequestId("once").build();
    SubmitJobRequest check = submit("rnd-16").toBuilder().setValidateOnly(true).build();

    assertThat(alice.submitJob(check).getWarningsList()).containsExactly(warning);
    assertThat(alice.submitJob(gang).getWarningsList()).containsExactly(warning);
    assertThat(alice.submitJob(gang).getWarningsList())
        .as("of a repeated request")
        .containsExactly(warning);
    assertThat(get(alice, "g").getWarningsList()).as("of a job that is read").isEmpty();
    for (String queue : List.of("rnd-8", "rnd-large")) {
      assertThat(alice.submitJob(submit(queue)).getWarningsList()).as(queue).isEmpty();
    }
  }

  @Test
  void aBatchWarnsOnceForEachQueue() {
    BatchSubmitJobsRequest batch =
        BatchSubmitJobsRequest.newBuilder()
            .setParent(ACME)
            .addRequests(submit("rnd-8"))
            .addRequests(submit("rnd-16"))
            .addRequests(submit("rnd-16"))
            .build();

    assertThat(alice.batchSubmitJobs(batch).getJobsList())
        .extracting(Job::getWarningsCount)
        .containsExactly(0, 1, 0);
  }

  /// A starter configuration has one policy, so no job has a rival.
  @Test
  void nobodyIsWarnedWhereNobodyPreempts() {
    installation.neighbours.grant(
        access(
                List.of(group("rnd", "alice")),
                List.of(policy("rnd", "rnd", "8", "16")),
                List.of(queue("alone", "rnd", "sixteen", 1)))
            .toBuilder()
            .setVersion(2)
            .build());

    assertThat(alice.submitJob(submit("alone")).getWarningsList()).isEmpty();
  }

  /// Alice sees no job of devops, eve none of rnd, and the admin both.
  @Test
  void bothJobsExplainWhatWasWeighed() {
    FakeAgent first = installation.agent("n-0").connect();
    FakeAgent second = installation.agent("n-1").connect();
    JobServiceBlockingStub eve = installation.eve();
    JobServiceBlockingStub admin = installation.jobs(installation.tokens.admin("acme"));
    alice.submitJob(submit("rnd-16", "gang"));
    awaitState(alice, "gang", Job.State.STATE_RUNNING);

    eve.submitJob(submit("devops-half", "half"));
    first.awaitStop("gang");
    second.awaitStop("gang");
    awaitState(eve, "half", Job.State.STATE_RUNNING);
    awaitState(alice, "gang", Job.State.STATE_WAITING);

    String cost = "it frees 16 GPUs and loses ";
    String weighed =
        "no smaller job of its standing may go; it is first in the order of victims; " + cost;
    assertThat(preemption(explain(admin, "gang").getHistoryList()).getWeighed())
        .startsWith(weighed);
    assertThat(preemption(explain(alice, "gang").getHistoryList()).getWeighed())
        .startsWith("no smaller job of its standing suffices; " + cost);
    assertThat(get(admin, "gang").getAttempts(0).getPreemption().getWeighed()).startsWith(weighed);

    Event seen = explain(admin, "half").getPreemptions(0);
    assertThat(seen.getMessage())
        .isEqualTo(
            "gang is preempted by half (rule P1): devops used 0 of its reservation 4 and needed"
                + " 1/2, rnd used 16 of 8");
    assertThat(seen.getPreemption().getWeighed()).startsWith(weighed);
    Event unseen = explain(eve, "half").getPreemptions(0);
    assertThat(unseen.getMessage()).isEqualTo("another team's job made room for half (rule P1)");
    assertThat(unseen.toString()).doesNotContain("gang").doesNotContain("16");
    assertThat(explain(alice, "gang").getPreemptionsList()).isEmpty();
  }

  private static JobExplanation explain(JobServiceBlockingStub jobs, String job) {
    return jobs.explainJob(ExplainJobRequest.newBuilder().setName(ACME + "/jobs/" + job).build());
  }

  private static Preemption preemption(List<Event> history) {
    return history.stream()
        .filter(event -> event.getType() == Event.Type.TYPE_PREEMPTED)
        .findFirst()
        .orElseThrow()
        .getPreemption();
  }
}
