package io.headgate.scheduler.grpc;

import io.headgate.kit.failure.Refusal;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// One question at a time is answered on a copy of the core: the copy of a large state is large,
/// and the loop stands still while its state is read.
public final class CopyBound {
  private static final Duration RETRY = Duration.ofSeconds(2);

  private final Semaphore one = new Semaphore(1, true);
  private final Duration patience;

  /// @param patience how long a question waits for its turn
  public CopyBound(Duration patience) {
    this.patience = patience;
  }

  /// Answers when it is this one's turn.
  ///
  /// @throws io.headgate.kit.failure.RefusalException RESOURCE_EXHAUSTED with reason PLAN_BUSY
  <T> T answer(Supplier<T> question) {
    return answer(
        question,
        () -> {
          throw Refusal.exhausted(
                  "PLAN_BUSY",
                  "other questions of this kind are being answered; try again soon",
                  RETRY)
              .exception();
        });
  }

  /// Answers when it is this one's turn.
  ///
  /// @param otherwise answers when that takes too long
  <T> T answer(Supplier<T> question, Supplier<T> otherwise) {
    if (!isMyTurn()) {
      return otherwise.get();
    }
    try {
      return question.get();
    } finally {
      one.release();
    }
  }

  private boolean isMyTurn() {
    try {
      return one.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
