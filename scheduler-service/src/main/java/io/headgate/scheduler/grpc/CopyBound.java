package io.headgate.scheduler.grpc;

import io.grpc.Context;
import io.headgate.kit.config.Default;
import io.headgate.kit.config.Setting;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.grpc.CallOrigin;
import io.headgate.kit.grpc.FairBound;
import io.headgate.kit.grpc.FairBound.Excess;
import io.headgate.kit.lifecycle.HeavyThreads;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/// One question at a time is answered on a copy of the core: the copy of a large state is large,
/// and the loop stands still while its state is read. Few others wait, each for a bounded time and
/// none of them with a copy. No tenant and no caller can have all places.
public final class CopyBound {
  private static final Duration RETRY = Duration.ofSeconds(2);

  private final Semaphore one = new Semaphore(1, true);
  private final HeavyThreads threads = new HeavyThreads("copy", 1);
  private final Limits limits;
  private final FairBound asked;

  /// How many questions wait, and how long.
  public record Limits(
      @Setting(
              meaning = "Plans that are made or wait; one is made at a time.",
              bound = "at least 1")
          @Default("8")
          int inProgress,
      @Setting(meaning = "Plans of one tenant that are made or wait.", bound = "at least 1")
          @Default("3")
          int perTenant,
      @Setting(meaning = "Plans of one caller that are made or wait.", bound = "at least 1")
          @Default("2")
          int perCaller,
      @Setting(
              meaning = "Time for which a plan waits for its turn. Then it is refused.",
              bound = "above 0")
          @Default("10s")
          Duration patience) {
    public static final Limits DEFAULTS = new Limits(8, 3, 2, Duration.ofSeconds(10));

    public Limits {
      if (inProgress < 1 || perTenant < 1 || perCaller < 1) {
        throw new IllegalArgumentException(
            "in-progress, per-tenant and per-caller: at least 1, not %d, %d and %d"
                .formatted(inProgress, perTenant, perCaller));
      }
      if (!patience.isPositive()) {
        throw new IllegalArgumentException("patience: above zero, not " + patience);
      }
    }

    /// No bound on their number; each waits up to `patience`.
    public static Limits ofPatience(Duration patience) {
      int all = Integer.MAX_VALUE;
      return new Limits(all, all, all, patience);
    }
  }

  public CopyBound(Limits limits) {
    this.limits = limits;
    this.asked =
        new FairBound(
            new FairBound.Limits(
                limits.inProgress(), limits.perTenant(), limits.perCaller(), Long.MAX_VALUE));
  }

  /// Answers when it is this one's turn.
  ///
  /// @throws io.headgate.kit.failure.RefusalException RESOURCE_EXHAUSTED with reason PLAN_BUSY
  <T> T answer(Supplier<T> question) {
    return answer(
        question,
        text -> {
          throw Refusal.exhausted("PLAN_BUSY", text, RETRY).exception();
        });
  }

  /// Answers when it is this one's turn.
  ///
  /// @param otherwise answers when that takes too long
  <T> T answer(Supplier<T> question, Supplier<T> otherwise) {
    return answer(question, _ -> otherwise.get());
  }

  private <T> T answer(Supplier<T> question, Function<String, T> otherwise) {
    CallOrigin origin = CallOrigin.current();
    Optional<Excess> excess = asked.enter(origin, 1);
    if (excess.isPresent()) {
      return otherwise.apply(
          "%s has %d such questions in progress and may have %d now; try again when one is answered"
              .formatted(excess.get().holder(), excess.get().held(), excess.get().most()));
    }
    try {
      if (!isMyTurn()) {
        return otherwise.apply(
            "%d such questions are in progress, one is answered at a time, and the turn of this one"
                    .formatted(asked.inProgress())
                + " did not come within %d ms; try again soon"
                    .formatted(limits.patience().toMillis()));
      }
      try {
        return onHeavyThread(question);
      } finally {
        one.release();
      }
    } finally {
      asked.leave(origin, 1);
    }
  }

  /// The copy and the look ahead on it take a processor for seconds.
  private <T> T onHeavyThread(Supplier<T> question) {
    Context call = Context.current();
    Supplier<T> inCall =
        io.opentelemetry.context.Context.current()
            .wrapSupplier(() -> {
              Context before = call.attach();
              try {
                return question.get();
              } finally {
                call.detach(before);
              }
            });
    try {
      return threads.call(inCall);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw Refusal.unavailable("SERVER_STOPPING", "the server is stopping", RETRY).exception();
    }
  }

  /// Questions that are answered or wait.
  long inProgress() {
    return asked.inProgress();
  }

  private boolean isMyTurn() {
    try {
      return one.tryAcquire(limits.patience().toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
