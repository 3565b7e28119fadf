package io.headgate.sdk.wire;

import io.headgate.sdk.model.ClientConfig;
import io.headgate.sdk.model.ClientConfig.Backoff;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.StatusCode;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/// Decides whether and when a failed call is tried again. It retries what the contract calls
/// retriable: UNAVAILABLE, and RESOURCE_EXHAUSTED with a RetryInfo. It also repeats idempotent
/// calls whose time on the server ended before the caller's deadline, as happens without a leader.
final class RetryPolicy {
  private final Backoff backoff;
  private final Duration whileAnswered;
  private final Duration whileUnreachable;
  private final RandomGenerator random;
  private Duration nextPause;

  private RetryPolicy(Backoff backoff, Duration whileAnswered, Duration whileUnreachable) {
    this.backoff = backoff;
    this.whileAnswered = whileAnswered;
    this.whileUnreachable = whileUnreachable;
    this.random = ThreadLocalRandom.current();
    this.nextPause = backoff.first();
  }

  /// For calls, and for streams that have not begun: the caller waits for an answer.
  static RetryPolicy withCalls(ClientConfig config) {
    return new RetryPolicy(
        config.backoff(), config.deadline(), min(config.deadline(), config.patience()));
  }

  /// For streams that have run: they survive the restart of a server.
  static RetryPolicy withStreams(ClientConfig config) {
    return new RetryPolicy(config.backoff(), config.resumeFor(), config.resumeFor());
  }

  /// The pause before the retry of a failed call; empty: no retry.
  Optional<Duration> pauseAfter(
      HeadgateException failure, Idempotency idempotency, Duration elapsed) {
    boolean again =
        switch (idempotency) {
          case IDEMPOTENT -> isRetriable(failure) || failure.code() == StatusCode.DEADLINE_EXCEEDED;
          case NOT_IDEMPOTENT -> isRetriable(failure) && FailureMessages.isAnswered(failure);
        };
    return again ? pause(failure, elapsed) : Optional.empty();
  }

  /// The next pause; empty when it would end after the deadline.
  Optional<Duration> pause(HeadgateException failure, Duration elapsed) {
    Duration pause = jittered(nextPause);
    Duration asked = failure.failure().retryDelay();
    if (asked != null && asked.compareTo(pause) > 0) {
      pause = asked;
    }
    nextPause = longer(nextPause);
    Duration limit = FailureMessages.isAnswered(failure) ? whileAnswered : whileUnreachable;
    return elapsed.plus(pause).compareTo(limit) < 0 ? Optional.of(pause) : Optional.empty();
  }

  static boolean isRetriable(HeadgateException failure) {
    return failure.code() == StatusCode.UNAVAILABLE
        || (failure.code() == StatusCode.RESOURCE_EXHAUSTED
            && failure.failure().retryDelay() != null);
  }

  private Duration jittered(Duration pause) {
    return Duration.ofNanos((long) (pause.toNanos() * (1 - random.nextDouble() / 2)));
  }

  private Duration longer(Duration pause) {
    return min(Duration.ofNanos((long) (pause.toNanos() * backoff.factor())), backoff.longest());
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) <= 0 ? a : b;
  }
}
