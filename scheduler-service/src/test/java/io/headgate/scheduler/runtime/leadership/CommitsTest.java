package io.headgate.scheduler.runtime.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.runtime.leadership.Commits.Move;
import io.headgate.scheduler.runtime.loop.LoopStep;
import io.headgate.scheduler.runtime.record.Batch;
import io.headgate.scheduler.runtime.record.CommitResult;
import io.headgate.scheduler.runtime.record.Failpoint;
import io.headgate.scheduler.runtime.record.SchedulerStore.Resolution;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A database that answers and takes nothing is not asked as fast as it answers.
final class CommitsTest {
  private static final SQLException FULL = new SQLException("No space left on device", "53100");

  private final OneLeader leader = new OneLeader();
  private long durable;
  private final Commits commits = new Commits(leader.start, leader.lease, Failpoint.Handler.NONE);

  /// The row's answer about a batch that was not written. A renewal has the number of the last
  /// batch.
  private Resolution refused(Batch batch) {
    return batch.id() == durable ? new Resolution.Happened() : new Resolution.DidNotHappen(durable);
  }

  private Move begin(boolean isStep) {
    assertThat(commits.begin()).isInstanceOf(Move.Take.class);
    if (!isStep) {
      return commits.took(Optional.empty());
    }
    LoopStep step =
        new LoopStep(
            Optional.of(Batch.renewal(1, 1)),
            List.of(),
            List.of(),
            List.of(),
            Optional.empty(),
            false);
    return commits.took(Optional.of(step));
  }

  private Move refuse(Move move) {
    Batch batch = ((Move.Commit) move).batch();
    long sent = leader.time.monotonicNanos();
    leader.time.advance(Duration.ofMillis(1));
    assertThat(commits.committed(new CommitResult.Unknown(FULL), sent))
        .isEqualTo(new Move.Resolve(batch));
    return commits.resolved(refused(batch));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void retriesARefusedBatchEverMoreSeldomAndStepsDownAfterHalfALease(boolean isStep) {
    Move move = begin(isStep);
    List<Long> pauses = new ArrayList<>();
    while (!(move instanceof Move.End)) {
      if (move instanceof Move.Pause(Duration atMost)) {
        pauses.add(atMost.toMillis());
        leader.time.advance(atMost);
        move = commits.paused();
      } else {
        move = refuse(move);
      }
    }
    assertThat(move).isEqualTo(new Move.End(Optional.of(new LeaderEnd.LeaseRanOut(FULL))));
    assertThat(pauses).containsExactly(100L, 200L, 400L, 800L, 1000L, 1000L, 1000L, 1000L);
    assertThat(leader.lease.isHeld()).as("nobody else leads yet").isTrue();
  }

  @Test
  void stepsDownAtOnceWhenTheDatabaseLostADurableBatch() {
    begin(true);
    assertThat(commits.committed(new CommitResult.Committed(), leader.time.monotonicNanos()))
        .isInstanceOf(Move.Act.class);
    commits.acted();
    commits.took(Optional.empty());
    commits.committed(new CommitResult.Unknown(FULL), leader.time.monotonicNanos());
    assertThat(commits.resolved(new Resolution.DidNotHappen(0)))
        .isEqualTo(new Move.End(Optional.of(new LeaderEnd.WentBack())));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void goesOnOnceThereIsRoomAgain(boolean isStep) {
    Move move = begin(isStep);
    for (int i = 0; i < 3; i++) {
      move = refuse(move);
      if (move instanceof Move.Pause(Duration atMost)) {
        leader.time.advance(atMost);
        move = commits.paused();
      }
    }
    assertThat(move).isInstanceOf(Move.Commit.class);
    move = commits.committed(new CommitResult.Committed(), leader.time.monotonicNanos());
    if (isStep) {
      durable = 1;
      assertThat(move).isInstanceOf(Move.Act.class);
      move = commits.acted();
    }
    assertThat(move).isInstanceOf(Move.Take.class);
    assertThat(leader.lease.isFresh()).isTrue();
    assertThat(refuse(commits.took(Optional.empty())))
        .as("a lost answer is mended at once")
        .isInstanceOf(Move.Commit.class);
  }
}
