package io.headgate.kit.grpc;

import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.kit.auth.TokenVerifier;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.lifecycle.HeavyThreads;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// Checks tokens of strangers on threads of their own, which have a part in the
/// [share][ProcessorShare] of strangers. A token that names an unknown key may wait until keys are
/// fetched, so such tokens have a thread apart. The others never wait behind it.
///
/// Thread-safe.
final class TokenChecks {
  /// Tokens that may wait, with a known key and without: a power cut sends many honest ones.
  private static final int MOST_WAITING = 1024;

  /// Two, because one of them may renew keys that have become old.
  private static final int KNOWN = 2;

  private final TokenVerifier verifier;
  private final ProcessorShare share;
  private final HeavyThreads known;
  private final HeavyThreads unknown;

  /// @param name beginning of the names of the threads
  TokenChecks(String name, TokenVerifier verifier, ProcessorShare share) {
    this.verifier = verifier;
    this.share = share;
    this.known = HeavyThreads.bounded(name + "-tokens", KNOWN, MOST_WAITING);
    this.unknown = HeavyThreads.bounded(name + "-keys", 1, MOST_WAITING);
  }

  /// Checks the token of a call on threads that may block: those of strangers if their loop reads
  /// the call, or the common ones.
  ///
  /// @return why it is refused; empty: it is good
  static CompletableFuture<Optional<Refusal>> of(
      ServiceRequestContext call, TokenVerifier verifier, String token) {
    @Nullable StrangersLoop strangers = StrangersLoop.of(call);
    return strangers == null
        ? CompletableFuture.supplyAsync(() -> verifier.refusal(token), call.blockingTaskExecutor())
        : strangers.checks().check(token, _ -> {});
  }

  /// Checks a token. While too many wait, it cannot be verified.
  ///
  /// @param cost learns the processor time of the check in nanoseconds, before the answer
  /// @return why it is refused; empty: it is good. Exceptional if the verifier fails
  CompletableFuture<Optional<Refusal>> check(String token, LongConsumer cost) {
    CompletableFuture<Optional<Refusal>> answer = new CompletableFuture<>();
    HeavyThreads threads = verifier.isKeyAtHand(token) ? known : unknown;
    try {
      threads.executor().execute(() -> check(token, cost, answer));
    } catch (RejectedExecutionException e) {
      answer.complete(Optional.of(TokenVerifier.cannotVerify()));
    }
    return answer;
  }

  private void check(String token, LongConsumer cost, CompletableFuture<Optional<Refusal>> answer) {
    long begun = ProcessorShare.nanosOfThread();
    try {
      Optional<Refusal> refusal = verifier.refusal(token);
      cost.accept(ProcessorShare.nanosOfThread() - begun);
      answer.complete(refusal);
    } catch (RuntimeException | Error e) {
      answer.completeExceptionally(e);
    } finally {
      boolean isKept = share.use(ProcessorShare.nanosOfThread() - begun);
      while (!isKept && !Thread.currentThread().isInterrupted()) {
        isKept = share.use(0);
      }
    }
  }

  /// Tokens that wait for a thread.
  int waiting() {
    return known.waiting() + unknown.waiting();
  }

  /// Discards what waits.
  void stop() {
    known.stop();
    unknown.stop();
  }
}
