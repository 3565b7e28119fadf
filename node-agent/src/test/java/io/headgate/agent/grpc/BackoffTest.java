package io.headgate.agent.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Agents that lost the same scheduler come back one after the other, and none too late.
class BackoffTest {
  private static final Duration FIRST = Duration.ofMillis(500);
  private static final Duration LONGEST = Duration.ofSeconds(10);

  @Test
  void doublesUpToTheLongestAndBeginsAnew() {
    Backoff backoff = new Backoff(FIRST, LONGEST, new Random(1));
    List<Duration> waits = Stream.generate(backoff::next).limit(8).toList();
    List<Integer> mostMs = List.of(500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000);
    for (int i = 0; i < waits.size(); i++) {
      Duration most = Duration.ofMillis(mostMs.get(i));
      assertThat(waits.get(i)).isBetween(most.dividedBy(2), most);
    }
    backoff.reset();
    assertThat(backoff.next()).isLessThanOrEqualTo(FIRST);
  }

  @Test
  void spreadsAThousandOverHalfOfTheTime() {
    long[] sorted =
        IntStream.range(0, 1000)
            .mapToLong(seed -> new Backoff(FIRST, LONGEST, new Random(seed)).next().toMillis())
            .sorted()
            .toArray();
    // In each tenth of the time about a hundred, where a burst would be a thousand.
    for (int tenth = 0; tenth < 10; tenth++) {
      int from = 250 + 25 * tenth;
      assertThat(IntStream.range(0, 1000).filter(i -> sorted[i] / 25 == from / 25).count())
          .isBetween(50L, 150L);
    }
  }
}
