package io.headgate.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.TestClock;
import org.junit.jupiter.api.Test;

class AskedCallersTest {
  private final TestClock clock = new TestClock();
  private final AskedCallers asked = new AskedCallers(clock);

  @Test
  void eachCallerMayBeAskedAFewTimesAMinute() {
    for (int i = 0; i < AskedCallers.MOST; i++) {
      assertThat(asked.mayAsk("ada")).isTrue();
    }
    assertThat(asked.mayAsk("ada")).isFalse();
    assertThat(asked.mayAsk("bob")).isTrue();
    clock.advance(AskedCallers.MINUTE);
    assertThat(asked.mayAsk("ada")).isTrue();
  }

  @Test
  void theEldestOfVeryManyIsForgotten() {
    for (int i = 0; i < AskedCallers.MOST; i++) {
      assertThat(asked.mayAsk("ada")).isTrue();
    }
    for (int i = 0; i < 20_000; i++) {
      assertThat(asked.mayAsk("caller " + i)).isTrue();
    }
    assertThat(asked.mayAsk("ada")).isTrue();
  }
}
