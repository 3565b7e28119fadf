package io.headgate.scheduler.grpc;

import io.headgate.kit.failure.Refusal;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// One question at a time is answered on a copy of the core: the copy of a large state is large,
/// and the loop stands still while its state is read.
public final class CopyBound {
  /// What is answered takes seconds at most.
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final Duration RETRY = Duration.ofSeconds(2);

  private final Semaphore one = new Semaphore(1, true);

  /// Answers when it is this one's turn.
  ///
  /// @throws io.headgate.kit.failure.RefusalException RESOURCE_EXHAUSTED with reason PLAN_BUSY
  <T> T answer(Supplier<T> question) {
    if (!isMyTurn()) {
      throw Refusal.exhausted(
              "PLAN_BUSY", "other questions of this kind are being answered; try again soon", RETRY)
          .exception();
    }
    try {
      return question.get();
    } finally {
      one.release();
    }
  }

  private boolean isMyTurn() {
    try {
      return one.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
