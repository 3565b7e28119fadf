package io.headgate.sdk.cli.command.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class LastWordsTest {
  @Test
  void areTheLastFiveLinesWithoutControlCharacters() {
    assertThat(last("1\n2\n3\n\n4\n5\u001b[2J\n6\n")).containsExactly("2", "3", "4", "5[2J", "6");
    assertThat(last("")).isEmpty();
  }

  @Test
  void areAtMostAKibibyteAndCutNoCharacter() {
    assertThat(last("é".repeat(2000))).containsExactly("é".repeat(512));
    assertThat(last("é".repeat(2000) + "x").getFirst()).isEqualTo("é".repeat(511) + "x");
  }

  private static List<String> last(String text) {
    return LastWords.last(text.getBytes(StandardCharsets.UTF_8));
  }
}
