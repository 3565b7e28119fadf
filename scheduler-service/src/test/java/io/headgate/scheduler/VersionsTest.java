package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.UnknownFieldSet.Field;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.proto.agent.v1.AttemptReport;
import io.headgate.proto.agent.v1.AttemptReport.State;
import io.headgate.proto.agent.v1.ConnectResponse;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Agents of the version before and of the one after work with this scheduler.
final class VersionsTest {
  @RegisterExtension static final SharedInstallation SHARED = new SharedInstallation();

  /// Fields that no message of this version has.
  private static final UnknownFieldSet OF_TOMORROW =
      UnknownFieldSet.newBuilder()
          .addField(900, Field.newBuilder().addVarint(7).build())
          .addField(
              901, Field.newBuilder().addLengthDelimited(ByteString.copyFromUtf8("new")).build())
          .build();

  private static final int WORD_OF_TOMORROW = 99;

  private JobServiceBlockingStub alice;
  private FakeAgent agent;
  private String job;

  @BeforeEach
  void assign() {
    alice = SHARED.get().alice();
    agent = SHARED.agent().slowToStart();
    job = SHARED.fresh("j");
    submit(alice, submit("rnd-1", job));
    agent.awaitAssign(job);
  }

  @AfterEach
  void end() {
    awaitState(alice, job, Job.State.STATE_DONE);
  }

  @Test
  void worksWithAnAgentThatSaysMore() {
    agent.report(
        job,
        report ->
            report
                .setStateValue(WORD_OF_TOMORROW)
                .setEndReasonValue(WORD_OF_TOMORROW)
                .setUnknownFields(OF_TOMORROW));
    agent.disconnect();
    agent.open(agent.hello().setProtocolVersion(3));
    FakeAgent.awaitThat(agent::isOver);
    assertThat(GrpcFailures.refusal(agent.failure().orElseThrow()).orElseThrow().reason())
        .isEqualTo("AGENT_TOO_NEW");
    agent.open(agent.hello().setProtocolVersion(2).setUnknownFields(OF_TOMORROW));
    FakeAgent.awaitThat(() -> agent.has(ConnectResponse::hasWelcome));
    assertThat(agent.heard().getFirst().getWelcome().getProtocolVersion())
        .as("the older of both")
        .isEqualTo(1);
    assertThat(Installation.get(alice, job).getState()).isEqualTo(Job.State.STATE_ASSIGNED);
    agent.running(job);
    awaitState(alice, job, Job.State.STATE_RUNNING);
    agent.exits(job, 0);
  }

  @Test
  void worksWithAnAgentThatKnowsNoUid() {
    AttemptReport.Builder report =
        AttemptReport.newBuilder()
            .setJob(ACME + "/jobs/" + job)
            .setAttempt(1)
            .setState(State.STATE_RUNNING);
    agent.say(report.build());
    awaitState(alice, job, Job.State.STATE_RUNNING);
    agent.disconnect();
    agent.open(agent.hello().clearAttempts().addAttempts(report));
    FakeAgent.awaitThat(() -> agent.has(ConnectResponse::hasWelcome));
    agent.say(
        report
            .setState(State.STATE_ENDED)
            .setEndReason(AttemptReport.EndReason.END_REASON_EXITED)
            .setExitCode(0)
            .build());
  }
}
