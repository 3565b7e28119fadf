package io.headgate.kit.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearestWordTest {
  private static final List<String> WORDS =
      List.of("half", "full", "one", "eight", "onprem-rtx6000");

  @Test
  void findsTheWordThatWasMeant() {
    assertThat(NearestWord.of("hlaf", WORDS)).contains("half");
    assertThat(NearestWord.of("eigth", WORDS)).contains("eight");
    assertThat(NearestWord.of("on", WORDS)).contains("one");
    assertThat(NearestWord.of("onprem-rtx600", WORDS)).contains("onprem-rtx6000");
    assertThat(NearestWord.of("half", WORDS)).contains("half");
  }

  @Test
  void guessesNothingFarAway() {
    assertThat(NearestWord.of("training", WORDS)).isEmpty();
    assertThat(NearestWord.of("cloud", WORDS)).isEmpty();
    assertThat(NearestWord.of("x", WORDS)).isEmpty();
    assertThat(NearestWord.of("", WORDS)).isEmpty();
    assertThat(NearestWord.of("x", List.of())).isEmpty();
    assertThat(NearestWord.of("a".repeat(65), List.of("a".repeat(64)))).isEmpty();
  }
}
