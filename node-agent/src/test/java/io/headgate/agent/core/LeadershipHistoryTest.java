package io.headgate.agent.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class LeadershipHistoryTest {
  private final LeadershipHistory seven =
      LeadershipHistory.NONE.obeying(new Leadership("i1", 7, "a"));

  @Test
  void obeysAnyLeaderAtFirst() {
    assertThat(LeadershipHistory.NONE.admits(new Leadership("i9", 0, "z"))).isTrue();
  }

  @Test
  void obeysHigherEpochsAndTheSameLeader() {
    assertThat(seven.admits(new Leadership("i1", 7, "a"))).isTrue();
    assertThat(seven.admits(new Leadership("i1", 8, "b"))).isTrue();
    assertThat(seven.admits(new Leadership("i1", 7, "b"))).isFalse();
    assertThat(seven.admits(new Leadership("i1", 6, "a"))).isFalse();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> seven.obeying(new Leadership("i1", 6, "a")));
  }

  @Test
  void leavesAnIncarnationForEver() {
    LeadershipHistory restored = seven.obeying(new Leadership("i2", 1, "c"));

    assertThat(restored.admits(new Leadership("i2", 2, "d"))).isTrue();
    assertThat(restored.admits(new Leadership("i1", 100, "a"))).isFalse();
    assertThat(restored.retired()).containsExactly("i1");
  }

  @Test
  void keepsABoundedMemory() {
    LeadershipHistory history = seven;
    for (int i = 0; i < 2 * LeadershipHistory.MAX_RETIRED; i++) {
      history = history.obeying(new Leadership("r" + i, 1, "a"));
    }
    assertThat(history.retired()).hasSize(LeadershipHistory.MAX_RETIRED);
  }
}
