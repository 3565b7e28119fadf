package io.headgate.scheduler.runtime.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.time.TimeSource;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.agent.AgentCommand;
import io.headgate.scheduler.runtime.agent.AgentSession;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.desk.Command;
import io.headgate.scheduler.runtime.loop.InputQueue.Offer;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.submission.Submission;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/// Messages of machines are heard however much users ask for, and the queue bounds all of them.
final class InputQueueTest {
  private static final TenantId ACME = new TenantId("acme");

  /// Two commands, a hundred jobs.
  private final InputQueue queue = new InputQueue(2, 100, TimeSource.system(), _ -> {});

  private static Command.Submit submission(int jobs) {
    return submission("users/alice", jobs);
  }

  private static Command.Submit submission(String submitter, int jobs) {
    Submission.NewJob job =
        new Submission.NewJob(
            new JobName(ACME, "train"),
            new QueueId(ACME, "queue"),
            new UserId("alice"),
            submitter,
            false,
            0,
            Optional.empty(),
            Optional.empty(),
            Duration.ZERO,
            Optional.empty(),
            false,
            List.of(),
            "",
            Optional.empty(),
            List.of(),
            false,
            Document.of(new byte[0]));
    return new Command.Submit(
        new Submission(
            Collections.nCopies(jobs, job), Optional.empty(), List.of(), CatalogView.EMPTY),
        new CompletableFuture<>());
  }

  private record Silent(NodeId node) implements AgentSession {
    @Override
    public void send(AgentCommand command) {}

    @Override
    public void endNotLeader(String leaderAddress) {}

    @Override
    public void endReplaced() {}
  }

  /// Something that the leader found itself.
  private static Command word(int number) {
    return new Command.Undelivered(new AttemptId(new JobId(number), 1), 0);
  }

  @Test
  void otherCommandsPassAFullQueueOfSubmissions() throws InterruptedException {
    Command.Submit first = submission(60);
    Command.Submit second = submission(40);
    assertThat(queue.offer(first)).isEqualTo(Offer.TAKEN);
    assertThat(queue.offer(second)).isEqualTo(Offer.TAKEN);
    assertThat(queue.offer(submission(1))).isEqualTo(Offer.FULL);
    assertThat(queue.offer(word(1))).isEqualTo(Offer.TAKEN);
    assertThat(queue.take(0, 60)).containsExactly(word(1), first);
    assertThat(queue.offer(word(2))).isEqualTo(Offer.TAKEN);
    assertThat(queue.take(0, 60)).containsExactly(word(2), second);
  }

  @Test
  void aSubmissionThatIsLargerThanAllPassesAnEmptyQueueOnly() throws InterruptedException {
    Command.Submit large = submission(101);
    assertThat(queue.offer(large)).isEqualTo(Offer.TAKEN);
    assertThat(queue.offer(submission(1))).isEqualTo(Offer.FULL);
    assertThat(queue.take(0, 10)).containsExactly(large);
    queue.offer(submission(1));
    assertThat(queue.offer(large)).isEqualTo(Offer.FULL);
  }

  @Test
  void callersTakeTurnsWhateverEachHasSubmitted() throws InterruptedException {
    Command.Submit first = submission("users/mallory", 1);
    Command.Submit second = submission("users/mallory", 1);
    Command.Submit third = submission("users/mallory", 1);
    Command.Submit honest = submission("users/ada", 1);
    for (Command.Submit each : List.of(first, second, third, honest)) {
      queue.offer(each);
    }
    assertThat(queue.take(0, 2)).containsExactly(first, honest);
    assertThat(queue.take(0, 2)).containsExactly(second, third);
  }

  @Test
  void aLargeBatchIsStoredAloneAndByTurnsWithSmallOnes() throws InterruptedException {
    InputQueue wide = new InputQueue(2, 100_000, TimeSource.system(), _ -> {});
    Command.Submit one = submission("users/mallory", InputQueue.LARGE);
    Command.Submit other = submission("users/eve", InputQueue.LARGE);
    Command.Submit small = submission("users/ada", 1);
    wide.offer(one);
    wide.offer(other);
    wide.offer(small);
    assertThat(wide.take(0, 10_000)).containsExactly(small);
    Command.Submit next = submission("users/ada", 1);
    wide.offer(next);
    assertThat(wide.take(0, 10_000)).containsExactly(one);
    assertThat(wide.take(0, 10_000)).containsExactly(next);
    assertThat(wide.take(0, 10_000)).containsExactly(other);
    assertThat(wide.size()).isZero();
  }

  @Test
  void messagesFromOutsideHaveABoundAndTheLeadersOwnHaveNone() {
    Command closing = new Command.Closing(new Silent(new NodeId(ACME, "n-0")));
    for (int i = 0; i < 2; i++) {
      assertThat(queue.offer(closing)).isEqualTo(Offer.TAKEN);
    }
    assertThat(queue.offer(closing)).isEqualTo(Offer.FULL);
    assertThat(queue.offer(word(1))).isEqualTo(Offer.TAKEN);
  }

  @Test
  void theEndOfASessionPassesAFullQueueBecauseNoAgentRepeatsIt() {
    AgentSession session = new Silent(new NodeId(ACME, "n-0"));
    for (int i = 0; i < 2; i++) {
      assertThat(queue.offer(new Command.Closing(session))).isEqualTo(Offer.TAKEN);
    }
    assertThat(queue.offer(new Command.SessionEnded(session))).isEqualTo(Offer.TAKEN);
  }

  @Test
  void nothingIsTakenAnyMoreOnceItIsClosed() throws InterruptedException {
    queue.offer(word(1));
    queue.close();
    assertThat(queue.offer(word(2))).isEqualTo(Offer.CLOSED);
    assertThat(queue.take(Long.MAX_VALUE, 10)).containsExactly(word(1));
    assertThat(queue.take(Long.MAX_VALUE, 10)).isEmpty();
  }
}
