package io.headgate.policy.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearestTest {
  private static final List<String> WORDS = List.of("eight", "half", "one");

  @Test
  void findsWhatWasMeant() {
    assertThat(Nearest.to("hlaf", WORDS)).contains("half");
    assertThat(Nearest.to("eigth", WORDS)).contains("eight");
    assertThat(Nearest.to("on", WORDS)).contains("one");
  }

  @Test
  void doesNotGuessWildly() {
    assertThat(Nearest.to("training", WORDS)).isEmpty();
    assertThat(Nearest.to("x", List.of())).isEmpty();
  }
}
