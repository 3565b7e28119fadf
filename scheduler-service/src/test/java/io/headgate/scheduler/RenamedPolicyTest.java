package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.ACME;
import static io.headgate.scheduler.Fixtures.access;
import static io.headgate.scheduler.Fixtures.group;
import static io.headgate.scheduler.Fixtures.policy;
import static io.headgate.scheduler.Fixtures.queue;
import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListPolicyUsagesRequest;
import io.headgate.proto.scheduler.v1.PolicyUsage;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A policy is renamed while its jobs run: they count on the new one, also for the next leader.
final class RenamedPolicyTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private Installation installation;
  private JobServiceBlockingStub alice;
  private FakeAgent agent;

  @BeforeEach
  void start() {
    installation = new Installation(POSTGRES.fresh());
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
    alice = installation.alice();
    agent = installation.agent("a-0").connect();
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  /// GPUs of the policy in use; absent: the policy is unknown.
  private Optional<String> used(String policy) {
    return installation
        .usage(installation.tokens.operator())
        .listPolicyUsages(ListPolicyUsagesRequest.newBuilder().setParent(ACME).build())
        .getUsagesList()
        .stream()
        .filter(usage -> usage.getPolicy().equals(policy))
        .map(PolicyUsage::getUsed)
        .findFirst();
  }

  @Test
  void itsRunningJobsCountOnTheNewNameAndKeepItsLimit() {
    for (int i = 0; i < 4; i++) {
      submit(alice, submit("rnd-3", "r-" + i));
    }
    awaitState(alice, "r-2", Job.State.STATE_RUNNING);
    installation.neighbours.grant(
        access(
                List.of(group("rnd", "alice")),
                List.of(policy("lab", "rnd", "5", "9")),
                List.of(queue("rnd-3", "lab", "three", 1)))
            .toBuilder()
            .setVersion(2)
            .build());
    FakeAgent.awaitThat(() -> used("lab").equals(Optional.of("9")));
    assertThat(used("rnd")).isEmpty();
    assertThat(get(alice, "r-3").getState()).isEqualTo(Job.State.STATE_WAITING);

    agent.awaitAcknowledged();
    installation.kill();
    installation.start();
    FakeAgent.awaitThat(installation.service()::isLeading);
    assertThat(used("lab")).contains("9");
    assertThat(get(alice, "r-3").getState()).isEqualTo(Job.State.STATE_WAITING);
    agent.connect();
    agent.exits("r-0", 0);
    awaitState(alice, "r-3", Job.State.STATE_RUNNING);
    assertThat(used("lab")).contains("9");
  }
}
