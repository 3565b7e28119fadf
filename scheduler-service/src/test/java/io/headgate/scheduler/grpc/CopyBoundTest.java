package io.headgate.scheduler.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class CopyBoundTest {
  private final CopyBound bound = new CopyBound(CopyBound.Limits.ofPatience(Duration.ofMillis(1)));

  @Test
  void answersOneAfterTheOther() {
    assertThat(bound.answer(() -> 1)).isEqualTo(1);
    assertThat(bound.answer(() -> 2, () -> 3)).isEqualTo(2);
  }

  @Test
  void answersOtherwiseWhileAnotherIsAnswered() {
    assertThat(bound.<Integer>answer(() -> bound.answer(() -> 2, () -> 3))).isEqualTo(3);
    assertThatThrownBy(() -> bound.answer(() -> bound.answer(() -> 2)))
        .hasMessageContaining("PLAN_BUSY");
  }

  @Test
  void refusesMoreQuestionsThanACallerMayHaveWithoutWaiting() {
    CopyBound two = new CopyBound(new CopyBound.Limits(8, 8, 2, Duration.ofMillis(1)));
    assertThatThrownBy(() -> two.answer(() -> two.answer(() -> 2)))
        .hasMessageContaining("2 such questions are in progress");
    assertThatThrownBy(() ->
            two.answer(() -> two.answer(() -> 1, () -> two.answer(() -> two.answer(() -> 2)))))
        .hasMessageContaining("may have 2 now");
  }

  @Test
  void answersAgainAfterOneThatFailed() {
    assertThatThrownBy(() -> bound.answer(() -> Integer.parseInt("x")))
        .isInstanceOf(NumberFormatException.class);
    assertThat(bound.answer(() -> 1)).isEqualTo(1);
  }
}
