package io.headgate.scheduler.runtime.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.desk.Command.SubmitReply;
import io.headgate.scheduler.runtime.desk.LoopTurn;
import io.headgate.scheduler.runtime.loop.LoopStep;
import io.headgate.scheduler.runtime.loop.TurnMaker;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.submission.Submission;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A request repeated before its first submission is durable is not accepted twice. The database
/// would refuse the transaction, and the leader would lose its leadership.
final class RepeatedSubmissionTest {
  private final List<LoopStep> steps = new ArrayList<>();
  private TurnMaker turns;

  @BeforeEach
  void lead() {
    OneLeader leader = new OneLeader();
    turns = new TurnMaker(leader.start, leader.state(), leader.ports, steps::add);
  }

  private static Optional<Submission.RequestKey> request(String fingerprint) {
    return Optional.of(new Submission.RequestKey("users/alice", "request", fingerprint));
  }

  private long newJobs() {
    return steps.stream()
        .flatMap(step -> step.batch().stream())
        .mapToLong(batch -> batch.newJobs().size())
        .sum();
  }

  private void act() {
    steps.forEach(step -> step.replies().forEach(LoopTurn.Reply::complete));
  }

  private static List<JobName> accepted(Command.Submit submit) {
    return ((SubmitReply.Accepted) submit.reply().join())
        .jobs().stream().map(view -> view.job().name()).toList();
  }

  @Test
  void answersTheSameRequestWithTheSameJobs() throws InterruptedException {
    Command.Submit first = OneLeader.submit("j", request("content"));
    Command.Submit inOneTurn = OneLeader.submit("j", request("content"));
    Command.Submit later = OneLeader.submit("j", request("content"));
    turns.take(List.of(first, inOneTurn));
    turns.take(List.of(later));
    assertThat(later.reply()).as("nothing is said before it is durable").isNotDone();
    act();
    assertThat(newJobs()).isEqualTo(1);
    assertThat(accepted(first)).containsExactly(new JobName(OneLeader.TENANT, "j"));
    assertThat(accepted(inOneTurn)).isEqualTo(accepted(first));
    assertThat(accepted(later)).isEqualTo(accepted(first));
  }

  @Test
  void takesANameOnce() throws InterruptedException {
    Command.Submit first = OneLeader.submit("j", Optional.empty());
    Command.Submit second = OneLeader.submit("j", Optional.empty());
    Command.Submit third = OneLeader.submit("j", request("other content"));
    turns.take(List.of(first, second, third));
    act();
    assertThat(newJobs()).isEqualTo(1);
    assertThat(accepted(first)).containsExactly(new JobName(OneLeader.TENANT, "j"));
    assertThat(second.reply()).isCompletedExceptionally();
    assertThat(third.reply()).isCompletedExceptionally();
  }

  @Test
  void takesTheIdOfARequestOnceWhateverIsAskedForUnderIt() throws InterruptedException {
    Command.Submit first = OneLeader.submit("j", request("content"));
    Command.Submit second = OneLeader.submit("k", request("other content"));
    turns.take(List.of(first));
    turns.take(List.of(second));
    act();
    assertThat(newJobs()).isEqualTo(1);
    assertThat(second.reply())
        .as("it is refused when the first is durable")
        .isCompletedExceptionally();
  }
}
