package io.headgate.agent.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class StopOrderTest {
  private static final Assignment ASSIGNMENT = Fixtures.assignment("a", Fixtures.slice(0, "1"));
  private static final Duration OVER_LIMIT = Duration.ofSeconds(4);

  private static Duration patience(StopOrder.Kind kind, boolean skipCallback) {
    return new StopOrder(kind, skipCallback).patience(ASSIGNMENT, OVER_LIMIT);
  }

  @Test
  void waitsOnlyBrieflyForAJobThatTakesFromItsNeighbours() {
    Duration grace = ASSIGNMENT.grace();
    assertThat(patience(StopOrder.Kind.CANCEL, false))
        .isEqualTo(ASSIGNMENT.abortCallback().timeout().plus(grace));
    assertThat(patience(StopOrder.Kind.CANCEL, true)).isEqualTo(grace);
    assertThat(patience(StopOrder.Kind.OVER_LIMIT, false)).isEqualTo(OVER_LIMIT);
  }
}
