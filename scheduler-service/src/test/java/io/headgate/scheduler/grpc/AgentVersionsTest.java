package io.headgate.scheduler.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/// Two versions of the agents' protocol that are next to each other speak the older one.
final class AgentVersionsTest {
  @Test
  void speaksTheOlderOfBoth() {
    assertThat(AgentMapper.spoken(3, 2)).isEqualTo(2);
    assertThat(AgentMapper.spoken(3, 3)).isEqualTo(3);
    assertThat(AgentMapper.spoken(3, 4)).isEqualTo(3);
  }

  @Test
  void refusesVersionsMoreThanOneApartAndSaysWhatToUpgrade() {
    assertThatThrownBy(() -> AgentMapper.spoken(3, 1))
        .hasMessageContaining(
            "the agent speaks protocol 1, this scheduler 3 and 2: upgrade the agent");
    assertThatThrownBy(() -> AgentMapper.spoken(3, 5))
        .hasMessageContaining(
            "the agent speaks protocol 5 and 4, this scheduler 3: upgrade the schedulers first");
  }
}
