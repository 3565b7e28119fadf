package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.access;
import static io.headgate.scheduler.Fixtures.group;
import static io.headgate.scheduler.Fixtures.policy;
import static io.headgate.scheduler.Fixtures.queue;
import static io.headgate.scheduler.Fixtures.spec;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import io.grpc.Status.Code;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.agent.v1.Assign;
import io.headgate.proto.policy.v1.Grace;
import io.headgate.proto.scheduler.v1.AbortCallback;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.JobSpec;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The time that a stop leaves to a job: its own word, within what its policy states.
final class PolicyGraceTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private Installation installation;
  private JobServiceBlockingStub alice;
  private long version = 1;

  @BeforeEach
  void start() {
    installation = new Installation(POSTGRES.fresh(), config -> config);
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-1");
    alice = installation.alice();
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  /// Sets the policy's grace, and waits until the scheduler knows it.
  private void grant(int callback, int terminate) {
    version++;
    installation.neighbours.grant(
        access(
                List.of(group("rnd", "alice")),
                List.of(
                    policy("rnd", "rnd", "5", "9").toBuilder()
                        .setGrace(
                            Grace.newBuilder()
                                .setCallback(seconds(callback))
                                .setTerminate(seconds(terminate)))
                        .build()),
                List.of(queue("rnd-1", "rnd", "one", 1)))
            .toBuilder()
            .setVersion(version)
            .build());
    FakeAgent.awaitThat(() -> {
      try {
        alice.submitJob(
            asking("", callback + 1, terminate).toBuilder().setValidateOnly(true).build());
        return false;
      } catch (io.grpc.StatusRuntimeException e) {
        return e.getStatus().getCode() == Code.FAILED_PRECONDITION;
      }
    });
  }

  private static Duration seconds(int seconds) {
    return Duration.newBuilder().setSeconds(seconds).build();
  }

  private static SubmitJobRequest of(String job, JobSpec spec) {
    return SubmitJobRequest.newBuilder().setParent(ACME).setJobId(job).setSpec(spec).build();
  }

  private static SubmitJobRequest plain(String job) {
    return of(
        job,
        spec("rnd-1").toBuilder()
            .setAbortCallback(AbortCallback.newBuilder().addCommand("save"))
            .build());
  }

  private static SubmitJobRequest asking(String job, int callback, int terminate) {
    return of(
        job,
        spec("rnd-1").toBuilder()
            .setAbortCallback(
                AbortCallback.newBuilder().addCommand("save").setTimeout(seconds(callback)))
            .setTerminationGrace(seconds(terminate))
            .build());
  }

  private static void assertGrace(Assign assign, int callback, int terminate) {
    assertThat(assign.getAbortTimeout().getSeconds()).isEqualTo(callback);
    assertThat(assign.getTerminationGrace().getSeconds()).isEqualTo(terminate);
  }

  @Test
  void withoutOneInThePolicyJobsHaveTheGeneralDefaultsAndMayStateMore() {
    FakeAgent agent = installation.agent("a-0").connect();
    submit(alice, plain("plain"));
    assertGrace(agent.awaitAssign("plain"), 180, 10);
    submit(alice, asking("long", 1800, 600));
    assertGrace(agent.awaitAssign("long"), 1800, 600);
  }

  @Test
  void aJobThatStatesNothingHasThatOfItsPolicy() {
    grant(60, 5);
    FakeAgent agent = installation.agent("a-0").connect();
    submit(alice, plain("plain"));
    assertGrace(agent.awaitAssign("plain"), 60, 5);
  }

  @Test
  void aJobMayStateLessAndNotMore() {
    grant(60, 5);
    FakeAgent agent = installation.agent("a-0").connect();
    submit(alice, asking("short", 20, 0));
    assertGrace(agent.awaitAssign("short"), 20, 0);
    Refused.by(() -> submit(alice, asking("callback", 61, 5)))
        .hasReason(Code.FAILED_PRECONDITION, "GRACE_ABOVE_POLICY")
        .names("spec.abort_callback.timeout", "policy 'rnd' leaves at most 1m", "1m1s")
        .says("policy", "rnd");
    Refused.by(() -> submit(alice, asking("terminate", 60, 6)))
        .hasReason(Code.FAILED_PRECONDITION, "GRACE_ABOVE_POLICY")
        .names("spec.termination_grace", "5s", "6s");
  }

  @Test
  void aPolicyThatLeavesLessAfterASubmissionBoundsTheJobsThatStartLater() {
    submit(alice, asking("waits", 100, 60));
    grant(60, 5);
    FakeAgent agent = installation.agent("a-0").connect();
    assertGrace(agent.awaitAssign("waits"), 60, 5);
  }
}
