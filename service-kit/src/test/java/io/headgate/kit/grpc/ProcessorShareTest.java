package io.headgate.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.TestClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ProcessorShareTest {
  private final TestClock clock = new TestClock();
  private final ProcessorShare share = new ProcessorShare(0.25, Duration.ofMillis(100), clock);

  private Duration charge(long millis) {
    return Duration.ofNanos(share.charge(Duration.ofMillis(millis).toNanos()));
  }

  @Test
  void aThreadPausesUntilItsWorkIsWithinTheShare() {
    assertThat(charge(100)).as("the burst").isZero();
    assertThat(charge(40)).isEqualTo(Duration.ofMillis(160));
    clock.advance(Duration.ofMillis(160));
    assertThat(charge(0)).isZero();
    assertThat(charge(10)).isEqualTo(Duration.ofMillis(40));
  }

  /// Its thread has other things to do, such as to close connections.
  @Test
  void noPauseIsLongAndTheDebtStays() {
    long begun = System.nanoTime();
    assertThat(share.use(Duration.ofSeconds(10).toNanos())).isFalse();
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(20));
    assertThat(charge(0)).isEqualTo(Duration.ofMillis(39_600));
    clock.advance(Duration.ofMillis(39_600));
    assertThat(share.use(0)).isTrue();
  }

  @Test
  void workOfSeveralThreadsCountsTogether() {
    assertThat(charge(120)).isEqualTo(Duration.ofMillis(80));
    assertThat(charge(10)).isEqualTo(Duration.ofMillis(120));
  }

  @Test
  void aRestEarnsNoMoreThanTheBurst() {
    clock.advance(Duration.ofHours(1));
    assertThat(charge(101)).isEqualTo(Duration.ofMillis(4));
  }

  @Test
  void worthyWorkCostsNothing() {
    assertThat(charge(120)).isPositive();
    share.giveBack(Duration.ofMillis(20).toNanos());
    assertThat(charge(0)).isZero();
    share.giveBack(Duration.ofHours(1).toNanos());
    assertThat(charge(101)).as("the burst is the most").isEqualTo(Duration.ofMillis(4));
  }
}
