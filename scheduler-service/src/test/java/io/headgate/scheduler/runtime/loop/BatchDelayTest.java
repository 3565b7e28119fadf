package io.headgate.scheduler.runtime.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BatchDelayTest {
  private static final long NOW = Duration.ofDays(-1).toNanos();

  private final BatchDelay pace = new BatchDelay();

  @Test
  void afterOneCommandTheNextHardlyWaits() {
    pace.began(NOW, 1);
    assertThat(pace.gatherNanos(NOW)).isEqualTo(BatchDelay.PER_COMMAND.toNanos());
    assertThat(pace.gatherNanos(NOW + BatchDelay.PER_COMMAND.toNanos())).isZero();
    assertThat(pace.gatherNanos(NOW + Duration.ofHours(1).toNanos())).isZero();
  }

  @Test
  void theMoreThereAreTheLongerOthersGather() {
    pace.began(NOW, 4);
    assertThat(pace.gatherNanos(NOW)).isEqualTo(4 * BatchDelay.PER_COMMAND.toNanos());
    pace.began(NOW, 1_000_000);
    assertThat(pace.gatherNanos(NOW)).isEqualTo(BatchDelay.MOST.toNanos());
  }

  @Test
  void aTurnOfTimersAloneMakesNobodyWait() {
    pace.began(NOW, 0);
    assertThat(pace.gatherNanos(NOW)).isZero();
  }

  @Test
  void nobodyWaitsLongForTheFirstWhateverTheClockSays() {
    assertThat(pace.gatherNanos(NOW)).isLessThanOrEqualTo(BatchDelay.MOST.toNanos());
  }
}
