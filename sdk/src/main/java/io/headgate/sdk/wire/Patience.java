package io.headgate.sdk.wire;

import io.headgate.sdk.model.ClientConfig;
import io.headgate.sdk.model.ClientConfig.Backoff;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.StatusCode;
import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// Decides whether and when a failed call is tried again. Retried is exactly what the contract
/// calls retriable: UNAVAILABLE, and RESOURCE_EXHAUSTED with a RetryInfo.
final class Patience {
  private final Backoff backoff;
  private final Duration deadline;
  private final Duration unreachable;
  private final RandomGenerator random;
  private Duration nextPause;

  Patience(ClientConfig config, RandomGenerator random) {
    this.backoff = config.backoff();
    this.deadline = config.deadline();
    this.unreachable = config.patience();
    this.random = random;
    this.nextPause = backoff.first();
  }

  /// The pause before a failed call is tried again; nothing when it should not be.
  Optional<Duration> pauseAfter(HeadgateException failure, Safety safety, Duration elapsed) {
    if (!isRetriable(failure) || (safety == Safety.ONCE && !Failures.isAnswered(failure))) {
      return Optional.empty();
    }
    return pause(failure, elapsed);
  }

  /// The next pause; nothing when it would last too long.
  Optional<Duration> pause(HeadgateException failure, Duration elapsed) {
    Duration pause = jittered(nextPause);
    Duration asked = failure.failure().retryDelay();
    if (asked != null && asked.compareTo(pause) > 0) {
      pause = asked;
    }
    nextPause = longer(nextPause);
    Duration limit = Failures.isAnswered(failure) ? deadline : min(deadline, unreachable);
    return elapsed.plus(pause).compareTo(limit) < 0 ? Optional.of(pause) : Optional.empty();
  }

  /// Something worked: the next failure is the first again.
  void restore() {
    nextPause = backoff.first();
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
