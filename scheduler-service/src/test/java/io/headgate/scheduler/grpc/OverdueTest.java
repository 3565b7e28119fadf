package io.headgate.scheduler.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.time.TimeSource;
import io.headgate.scheduler.runtime.desk.LeadershipLostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// A call ends when the leader does not answer in time, and is remembered until its late answer
/// arrives.
final class OverdueTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final AtomicInteger replied = new AtomicInteger();

  private static Overdue<String> bound(Duration patience) {
    return new Overdue<>(patience, TimeSource.system());
  }

  @Test
  void anAnswerInTimeIsPassedOnWhenWhatFollowsFromItIsDone() {
    Overdue<String> overdue = bound(PATIENCE);
    CompletableFuture<String> reply = new CompletableFuture<>();
    CompletableFuture<Integer> heard =
        overdue.bounded(reply, replied::incrementAndGet).thenApply(_ -> replied.get());
    reply.complete("jobs/j");
    assertThat(heard).isCompletedWithValue(1);
    CompletableFuture<String> refused = new CompletableFuture<>();
    CompletableFuture<String> failed = overdue.bounded(refused, replied::incrementAndGet);
    refused.completeExceptionally(new LeadershipLostException("deposed"));
    assertThat(failed).isCompletedExceptionally();
    assertThat(replied).hasValue(2);
  }

  @Test
  void eachThatIsLateEndsAndIsNotForgotten() {
    Overdue<String> overdue = bound(Duration.ofMillis(20));
    CompletableFuture<String> reply = new CompletableFuture<>();
    // The second one is bounded although nothing is looked at any more when it comes.
    for (int times = 0; times < 2; times++) {
      assertThat(overdue.bounded(reply, replied::incrementAndGet))
          .failsWithin(PATIENCE)
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(LeadershipLostException.class);
    }
    assertThat(replied).as("it may still happen").hasValue(0);
    reply.complete("jobs/j");
    assertThat(replied).hasValue(2);
  }
}
