package io.headgate.agent.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// The agent accepts a scheduler only if it speaks the protocol version that the scheduler
/// announces.
final class ProtocolTest {
  @Test
  void speaksItsOwnVersionAndTheOneBefore() {
    assertThat(Protocol.problem(3, 3)).isEmpty();
    assertThat(Protocol.problem(3, 2)).isEmpty();
  }

  @Test
  void refusesOtherVersionsAndSaysWhatToUpgrade() {
    assertThat(Protocol.problem(3, 4))
        .contains(
            "the scheduler answers in protocol 4, and this agent speaks 3 and 2: upgrade the agent");
    assertThat(Protocol.problem(3, 1)).get().asString().endsWith(": upgrade the schedulers first");
  }
}
