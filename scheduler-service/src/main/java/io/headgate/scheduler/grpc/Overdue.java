package io.headgate.scheduler.grpc;

import io.headgate.kit.time.TimeSource;
import io.headgate.scheduler.runtime.desk.LeadershipLostException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/// Bounds how long answers of the leader are waited for. Nearly all come within milliseconds, so a
/// timer for each would cost more than it is good for: now and then it is looked whether any is
/// late. Thread-safe.
final class Overdue<T> {
  /// Looks within the time that is waited.
  private static final int LOOKS = 10;

  private final Duration patience;
  private final TimeSource time;
  private final Executor later;
  private final Set<Waiting<T>> waiting = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean isToLook = new AtomicBoolean();

  /// Each is itself and no other, as a record would not be.
  private static final class Waiting<T> {
    private final CompletableFuture<T> answer = new CompletableFuture<>();
    private final long sinceNanos;

    Waiting(long sinceNanos) {
      this.sinceNanos = sinceNanos;
    }
  }

  Overdue(Duration patience, TimeSource time) {
    this.patience = patience;
    this.time = time;
    this.later =
        CompletableFuture.delayedExecutor(patience.toNanos() / LOOKS, TimeUnit.NANOSECONDS);
  }

  /// The same answer, or [LeadershipLostException] if there is none in time.
  ///
  /// @param onReply carried out when the leader has answered, however late, and before anybody
  ///   hears of it
  CompletableFuture<T> bounded(CompletableFuture<T> reply, Runnable onReply) {
    Waiting<T> each = new Waiting<>(time.monotonicNanos());
    waiting.add(each);
    var _ =
        reply.whenComplete((value, failure) -> {
          waiting.remove(each);
          onReply.run();
          if (failure == null) {
            each.answer.complete(value);
          } else {
            each.answer.completeExceptionally(failure);
          }
        });
    lookLater();
    return each.answer;
  }

  private void lookLater() {
    if (!isToLook.get() && isToLook.compareAndSet(false, true)) {
      later.execute(this::look);
    }
  }

  private void look() {
    // Before the look: what comes during it asks for another.
    isToLook.set(false);
    long now = time.monotonicNanos();
    waiting.forEach(each -> {
      if (now - each.sinceNanos >= patience.toNanos()) {
        waiting.remove(each);
        each.answer.completeExceptionally(
            new LeadershipLostException("no answer within " + patience.toSeconds() + " s"));
      }
    });
    if (!waiting.isEmpty()) {
      lookLater();
    }
  }
}
