package io.headgate.agent.runtime.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MainMemoryTest {
  @Test
  void isNotGivenTwice() throws Exception {
    MainMemory memory = new MainMemory(() -> 100);
    assertThat(memory.take(60)).isEqualTo(100);
    assertThat(memory.take(60)).as("too little, so nothing is taken").isEqualTo(40);
    assertThat(memory.take(40)).isEqualTo(40);
    memory.giveBack(60);
    assertThat(memory.take(60)).isEqualTo(60);
  }
}
