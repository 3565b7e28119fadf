package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.get;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.Timestamps;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.scheduler.v1.GetLeadershipRequest;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListNodeUsagesRequest;
import io.headgate.proto.scheduler.v1.NodeUsage;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The wall clock of a scheduler is set, by days and in both directions: nothing follows from it.
final class ClockTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private static final Duration DAYS = Duration.ofDays(3);

  private final SetClock clock = new SetClock();
  private Installation installation;
  private JobServiceBlockingStub alice;
  private FakeAgent agent;

  /// The machine's clocks, with a wall clock that the test sets wrong.
  private static final class SetClock implements TimeSource {
    private volatile Duration wrongBy = Duration.ZERO;

    @Override
    public Instant instant() {
      return TimeSource.system().instant().plus(wrongBy);
    }

    @Override
    public long monotonicNanos() {
      return TimeSource.system().monotonicNanos();
    }
  }

  @BeforeEach
  void start() {
    DatabaseConfig config = POSTGRES.fresh();
    installation = new Installation(config).with(clock);
    Fixtures.seedExample(installation.neighbours);
    installation.start().awaitReady("rnd-3");
    alice = installation.alice();
    agent = installation.agent("a-0").connect();
  }

  @AfterEach
  void stop() {
    installation.close();
  }

  private void running(String job) {
    submit(alice, submit("rnd-1", job));
    agent.awaitRunning(alice, job);
  }

  private long epoch() {
    return installation
        .usage(installation.tokens.operator())
        .getLeadership(GetLeadershipRequest.getDefaultInstance())
        .getEpoch();
  }

  private static Instant created(Job job) {
    return Instant.ofEpochMilli(Timestamps.toMillis(job.getCreateTime()));
  }

  @Test
  void leadsOnAndKeepsItsAgentsAndItsOrder() {
    running("r-0");
    clock.wrongBy = DAYS;
    running("r-1");
    clock.wrongBy = DAYS.negated();
    running("r-2");
    assertThat(epoch()).isEqualTo(1);
    assertThat(agent.stops()).isEmpty();
    assertThat(
            installation
                .usage(installation.tokens.member("acme", "alice"))
                .listNodeUsages(ListNodeUsagesRequest.newBuilder().setParent(Fixtures.ACME).build())
                .getUsages(0)
                .getContact())
        .isEqualTo(NodeUsage.Contact.CONTACT_CONNECTED);
    assertThat(created(get(alice, "r-2")))
        .isAfterOrEqualTo(created(get(alice, "r-1")))
        .isAfterOrEqualTo(created(get(alice, "r-0")));
  }

  /// How long a job has waited, and is protected, is counted over the leaders.
  @Test
  void theNextLeaderGoesOnWhereTheOneBeforeWas() {
    Instant before = Instant.now();
    clock.wrongBy = DAYS;
    installation.kill();
    installation.start();
    FakeAgent.awaitThat(installation.service()::isLeading);
    agent.connect();
    running("r-0");
    clock.wrongBy = DAYS.negated();
    installation.kill();
    installation.start();
    FakeAgent.awaitThat(installation.service()::isLeading);
    agent.connect();
    running("r-1");
    Instant after = Instant.now();
    Job first = awaitState(alice, "r-0", Job.State.STATE_RUNNING);
    assertThat(agent.stops()).isEmpty();
    assertThat(created(first)).isBetween(before.minusSeconds(60), after.plusSeconds(60));
    assertThat(created(get(alice, "r-1"))).isBetween(created(first), after.plusSeconds(60));
  }
}
