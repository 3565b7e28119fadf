package io.headgate.agent.grpc;

import java.time.Duration;
import java.util.random.RandomGenerator;

/// Exponential backoff with jitter: waits that double from the first to the longest. Each is drawn
/// between half of it and all of it, so that a thousand agents that lost one scheduler do not come
/// back at the same moment.
final class Backoff {
  private final Duration first;
  private final Duration longest;
  private final RandomGenerator random;
  private Duration current;

  Backoff(Duration first, Duration longest, RandomGenerator random) {
    this.first = first;
    this.longest = longest;
    this.random = random;
    this.current = first;
  }

  Duration next() {
    long nanos = current.toNanos();
    Duration twice = current.multipliedBy(2);
    current = twice.compareTo(longest) > 0 ? longest : twice;
    return Duration.ofNanos(nanos / 2 + random.nextLong(nanos / 2 + 1));
  }

  void reset() {
    current = first;
  }
}
