package io.headgate.agent.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.core.MemoryMeter.Excess;
import io.headgate.agent.core.MemoryMeter.Use;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryMeterTest {
  private static final long MIB = 1L << 20;

  private final MemoryMeter meter = new MemoryMeter(2, 3);

  private static Use use(String job, long mib) {
    return new Use(Fixtures.key(job), "GPU-1", mib * MIB, 40 * MIB);
  }

  private List<AttemptKey> told(Use... uses) {
    return meter.take(List.of(uses)).stream().map(Excess::attempt).toList();
  }

  @Test
  void tellsAtTheSecondSampleOverTheLimitAndAgainLater() {
    assertThat(told(use("a", 41), use("b", 40))).isEmpty();
    assertThat(told(use("a", 41), use("b", 40))).containsExactly(Fixtures.key("a"));
    assertThat(told(use("a", 41))).isEmpty();
    assertThat(told(use("a", 41))).isEmpty();
    assertThat(told(use("a", 41))).as("nobody has heard").containsExactly(Fixtures.key("a"));
  }

  @Test
  void beginsAnewAfterASampleBelow() {
    assertThat(told(use("a", 41))).isEmpty();
    assertThat(told(use("a", 40))).isEmpty();
    assertThat(told(use("a", 41))).isEmpty();
    assertThat(told()).as("it is not there").isEmpty();
    assertThat(told(use("a", 41))).isEmpty();
    assertThat(told(use("a", 41))).hasSize(1);
  }

  @Test
  void saysHowMuchOfWhat() {
    MemoryMeter strict = new MemoryMeter(1, 1);
    assertThat(strict.take(List.of(use("a", 41))))
        .extracting(Excess::words)
        .containsExactly("it used 41 MiB of the memory of GPU-1, of which it has 40 MiB");
    assertThat(strict.take(List.of(new Use(Fixtures.key("a"), "GPU-2", MIB, 0))))
        .extracting(Excess::words)
        .containsExactly("it used 1 MiB of the memory of GPU-2, of which it has no slice");
  }
}
