package io.headgate.pool.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearestTest {
  private static final List<String> WORDS = List.of("full", "half", "onprem-rtx6000");

  @Test
  void findsWhatWasMeant() {
    assertThat(Nearest.to("hlaf", WORDS)).contains("half");
    assertThat(Nearest.to("onprem-rtx600", WORDS)).contains("onprem-rtx6000");
    assertThat(Nearest.to("half", WORDS)).contains("half");
  }

  @Test
  void guessesNothingFarFetched() {
    assertThat(Nearest.to("cloud", WORDS)).isEmpty();
    assertThat(Nearest.to("x", WORDS)).isEmpty();
    assertThat(Nearest.to("", WORDS)).isEmpty();
  }
}
