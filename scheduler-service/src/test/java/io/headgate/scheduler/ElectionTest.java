package io.headgate.scheduler;

import static io.headgate.scheduler.Fixtures.submit;
import static io.headgate.scheduler.Installation.awaitState;
import static io.headgate.scheduler.Installation.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.scheduler.v1.GetLeadershipRequest;
import io.headgate.proto.scheduler.v1.GetLeadershipResponse;
import io.headgate.proto.scheduler.v1.Job;
import io.headgate.proto.scheduler.v1.JobServiceGrpc.JobServiceBlockingStub;
import io.headgate.proto.scheduler.v1.ListNodeUsagesRequest;
import io.headgate.proto.scheduler.v1.NodeUsage;
import io.headgate.scheduler.runtime.leadership.Replica;
import java.time.Duration;
import java.time.OffsetDateTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Two schedulers of one installation, on one database.
@Order(1) // It takes longest.
final class ElectionTest {
  @RegisterExtension static final PostgresFixture POSTGRES = PostgresFixture.of("scheduler");

  private static final SchedulerConfig.Leading CUT_OFF_SOON =
      new SchedulerConfig.Leading(
          Duration.ofSeconds(20),
          Duration.ofMillis(200),
          Duration.ofMillis(500),
          Duration.ofSeconds(2),
          Duration.ofSeconds(20));

  private final FakeMembers seenByOne = new FakeMembers().sees("scheduler-1", "scheduler-2");
  private final FakeMembers seenByTwo = new FakeMembers().sees("scheduler-1", "scheduler-2");
  private Installation one;
  private Installation two;
  private Database database;

  @BeforeEach
  void start() {
    DatabaseConfig config = POSTGRES.fresh();
    database = Database.open(config.asOwner());
    one = new Installation(config, each -> each.with(Installation.ELECTING)).with(seenByOne);
    Fixtures.seedExample(one.neighbours);
    one.start().awaitReady("rnd-3");
    two = one.beside("scheduler-2").with(seenByTwo).start();
  }

  @AfterEach
  void stop() {
    database.close();
    two.close();
    one.close();
  }

  private GetLeadershipResponse leadership(Installation asked) {
    return asked
        .usage(asked.tokens.operator())
        .getLeadership(GetLeadershipRequest.getDefaultInstance());
  }

  private OffsetDateTime renewedAt() {
    return database
        .jooq()
        .fetchSingle("select renewed_at from leadership")
        .get(0, OffsetDateTime.class);
  }

  private void letLeaseRunOut() {
    database.jooq().execute("update leadership set lease_until = clock_timestamp()");
  }

  @Test
  void aFollowerKnowsWhoLeads() {
    FakeAgent.awaitThat(() -> leadership(two).getLeader().equals("scheduler-1"));
    assertThat(leadership(two).getAddress()).isEqualTo(one.address());
    assertThat(leadership(two).getEpoch()).isEqualTo(1);
    assertThat(two.service().isLeading()).isFalse();
  }

  @Test
  void takesOverFromALeaderThatIsGoneBeforeItsLeaseIsOver() {
    long before = System.nanoTime();
    one.killJustNow();
    seenByTwo.sees("scheduler-2");
    FakeAgent.awaitThat(two.service()::isLeading);
    assertThat(Duration.ofNanos(System.nanoTime() - before))
        .isLessThan(Installation.ELECTING.lease());
    assertThat(leadership(two).getEpoch()).isEqualTo(2);
  }

  @Test
  void takesOverAsSoonFromALeaderThatDiedBeforeThereWasAGroup() {
    two.stop();
    two.with(new FakeMembers()).start();
    long before = System.nanoTime();
    one.killJustNow();
    FakeAgent.awaitThat(two.service()::isLeading);
    assertThat(Duration.ofNanos(System.nanoTime() - before))
        .isLessThan(Installation.ELECTING.lease());
  }

  @Test
  void takesOverWithoutAGroupWhenTheLeaseIsOver() {
    one.killJustNow();
    letLeaseRunOut();
    FakeAgent.awaitThat(two.service()::isLeading);
    assertThat(leadership(two).getEpoch()).isEqualTo(2);
  }

  @Test
  void aServiceThatNeverStoodForElectionClosesAtOnce() {
    // A service whose port is taken is closed in this state; the election never ran, so close waits
    // for nothing.
    SchedulerService unstarted = one.beside("scheduler-3").with(new FakeMembers()).unstarted();
    long before = System.nanoTime();
    unstarted.close();
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Replica.PATIENCE);
  }

  @Test
  void aGroupThatFallsApartDeposesNoLeader() {
    seenByOne.sees("scheduler-1");
    seenByTwo.sees("scheduler-2");
    for (int i = 0; i < 3; i++) {
      OffsetDateTime before = renewedAt();
      FakeAgent.awaitThat(() -> renewedAt().isAfter(before));
    }
    seenByOne.sees("scheduler-2", "scheduler-1");
    seenByTwo.sees("scheduler-2", "scheduler-1");
    OffsetDateTime before = renewedAt();
    FakeAgent.awaitThat(() -> renewedAt().isAfter(before));
    assertThat(one.service().isLeading()).isTrue();
    assertThat(leadership(two).getEpoch()).isEqualTo(1);
  }

  /// Agents may reach the other one; and if they are gone, the next leader waits for them.
  @Test
  void aLeaderThatNoAgentReachesAnyMoreGivesWayOnce() {
    restart(CUT_OFF_SOON);
    seenByOne.sees("scheduler-1");
    one.agent("a-0").connect();
    assertThat(leadership(one).getEpoch()).isEqualTo(2);
    FakeAgent.awaitThat(() -> contact(one) == NodeUsage.Contact.CONTACT_SUSPECT);
    OffsetDateTime before = renewedAt();
    FakeAgent.awaitThat(
        () -> renewedAt().isAfter(before.plus(CUT_OFF_SOON.suspectAfter().multipliedBy(2))));
    assertThat(leadership(one).getEpoch()).as("there is nobody else").isEqualTo(2);

    seenByOne.sees("scheduler-1", "scheduler-2");
    FakeAgent.awaitThat(two.service()::isLeading);
    assertThat(leadership(two).getEpoch()).isEqualTo(3);
  }

  private void restart(SchedulerConfig.Leading leading) {
    two.stop();
    one.stop();
    one.with(leading).start().awaitReady("rnd-3");
    two.with(leading).start();
  }

  private NodeUsage.Contact contact(Installation asked) {
    return asked
        .usage(asked.tokens.operator())
        .listNodeUsages(ListNodeUsagesRequest.newBuilder().setParent(Fixtures.ACME).build())
        .getUsages(0)
        .getContact();
  }

  @Test
  void aDeposedLeaderFollowsAndLeadsAgainInTheSameProcess() {
    FakeAgent agent = one.agent("a-0").connect();
    JobServiceBlockingStub alice = one.alice();
    submit(alice, submit("rnd-3", "r-0"));
    awaitState(alice, "r-0", Job.State.STATE_RUNNING);
    agent.awaitAcknowledged();

    // As after a pause: the other one leads before this one knows.
    database
        .jooq()
        .execute(
            "update leadership set epoch = 2, leader = 'scheduler-2', address = ?,"
                + " lease_until = clock_timestamp()",
            two.address());
    FakeAgent.awaitThat(agent::isOver);
    FakeAgent.awaitThat(() -> one.service().isLeading() || two.service().isLeading());
    assertThat(leadership(one).getEpoch()).isEqualTo(3);

    Installation leading = two.service().isLeading() ? two : one;
    FakeAgent moved = leading.adopt(agent).connect();
    leading.awaitReady("rnd-3");
    assertThat(moved.assigns()).isEmpty();
    moved.exits("r-0", 0);
    awaitState(leading.alice(), "r-0", Job.State.STATE_DONE);
    assertThat(moved.begun().values()).containsOnly(1);

    leading.stop();
    Installation other = leading == one ? two : one;
    FakeAgent.awaitThat(other.service()::isLeading);
    leading.start();
    other.adopt(agent).connect();
    submit(other.alice(), submit("rnd-3", "r-1"));
    awaitState(other.alice(), "r-1", Job.State.STATE_RUNNING);
    assertThat(leadership(other).getEpoch()).isEqualTo(4);
  }
}
