package io.headgate.scheduler.runtime.leadership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.desk.Command.SubmitReply;
import io.headgate.scheduler.runtime.desk.LeadershipLostException;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.submission.Submission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/// The answers to callers of a scheduler that follows, is about to lead, leads, and stops.
final class LeaderDoorTest {
  private static final Leadership OTHER =
      new Leadership(
          new UUID(0, 1), 7, Optional.of("other"), Optional.of("other:1"), Optional.empty());

  private final OneLeader one = new OneLeader();
  private final Leader leader = new Leader(one.start, one.ports, one.state(), one.lease, _ -> {});
  private final LeaderDoor door = new LeaderDoor("a:1");

  private static Submission submission(String name) {
    return OneLeader.submit(name, "run").submission();
  }

  @Test
  void aClosedDoorTellsWhereTheLeaderIs() {
    door.saw(OTHER, true);
    assertThat(door.isLeading()).isFalse();
    assertThatThrownBy(() -> door.submit(submission("j")))
        .asInstanceOf(InstanceOfAssertFactories.type(NotLeadingException.class))
        .extracting(NotLeadingException::leaderAddress)
        .isEqualTo(Optional.of("other:1"));
    assertThat(door.holdsLease()).isFalse();
    assertThat(door.clock(OneLeader.MACHINES.getFirst())).isEmpty();
  }

  @Test
  void aLeaderWithoutALeaseIsNoLongerNamed() {
    door.saw(OTHER, true);
    door.saw(OTHER, false);
    assertThat(door.leaderAddress()).isEmpty();
    assertThat(door.leadership()).contains(OTHER);
  }

  @Test
  void callersThatWaitGoOnWhenTheDoorOpens() {
    List<Boolean> leads = new ArrayList<>();
    door.holdCallers();
    assertThat(door.takeoverWaiters().add(() -> leads.add(door.isLeading()))).isTrue();
    assertThat(leads).isEmpty();
    door.open(leader);
    assertThat(leads).containsExactly(true);
  }

  @Test
  void callersThatWaitAreTurnedAwayWhenTheDoorStaysClosed() {
    List<Boolean> leads = new ArrayList<>();
    door.holdCallers();
    door.takeoverWaiters().add(() -> leads.add(door.isLeading()));
    door.close();
    assertThat(leads).containsExactly(false);
  }

  @Test
  void anOpenDoorPassesASubmissionToTheLoopWithoutWaiting() throws InterruptedException {
    door.open(leader);
    CompletableFuture<SubmitReply> reply = door.submit(submission("j"));
    assertThat(reply).isNotDone();
    assertThat(leader.take())
        .singleElement()
        .asInstanceOf(InstanceOfAssertFactories.type(Command.Submit.class))
        .extracting(Command.Submit::reply)
        .isSameAs(reply);
  }

  @Test
  void aSubmissionFailsWhenItsLeaderEndsFirst() throws InterruptedException {
    door.open(leader);
    CompletableFuture<SubmitReply> reply = door.submit(submission("j"));
    door.close();
    leader.finish(new LeaderEnd.Deposed(OTHER));
    assertThat(reply)
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(LeadershipLostException.class);
    assertThatThrownBy(() -> door.submit(submission("k"))).isInstanceOf(NotLeadingException.class);
  }

  @Test
  void aFullQueueRefusesASubmission() {
    door.open(leader);
    for (int i = 0; i < OneLeader.SETTINGS.maxQueuedJobs(); i++) {
      assertThat(door.submit(submission("j-" + i))).isNotDone();
    }
    assertThatThrownBy(() -> door.submit(submission("late")))
        .isInstanceOf(QueueFullException.class);
  }
}
