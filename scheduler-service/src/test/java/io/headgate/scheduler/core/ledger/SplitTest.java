package io.headgate.scheduler.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SplitTest {
  private static final Split SPLIT = new Split(5, 3, 2);

  @Test
  void partsMakeUpAnySum() {
    assertThat(SPLIT.madeUpTo(10)).isEqualTo(SPLIT);
    assertThat(SPLIT.madeUpTo(12)).isEqualTo(new Split(7, 3, 2));
    assertThat(SPLIT.madeUpTo(6)).isEqualTo(new Split(1, 3, 2));
    assertThat(SPLIT.madeUpTo(4)).isEqualTo(new Split(0, 2, 2));
    assertThat(SPLIT.madeUpTo(1)).isEqualTo(new Split(0, 0, 1));
    assertThat(Split.NONE.madeUpTo(3)).isEqualTo(new Split(3, 0, 0));
  }
}
