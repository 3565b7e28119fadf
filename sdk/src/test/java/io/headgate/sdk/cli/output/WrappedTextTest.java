package io.headgate.sdk.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WrappedTextTest {
  @Test
  void aLineIsBrokenBetweenWords() {
    assertThat(WrappedText.of("5 jobs: 2 waiting, 1 running, 1 stopping, 1 failed", 24))
        .isEqualTo("5 jobs: 2 waiting, 1\n  running, 1 stopping, 1\n  failed");
  }

  @Test
  void aPartKeepsTheIndentOfItsLine() {
    assertThat(WrappedText.of("    waits for the limit of its policy", 20))
        .isEqualTo("    waits for the\n      limit of its\n      policy");
  }

  @Test
  void aWordThatIsWiderThanTheScreenStaysWhole() {
    assertThat(WrappedText.of("read /a/very/long/path/of/a/file now", 12))
        .isEqualTo("read\n  /a/very/long/path/of/a/file\n  now");
  }

  @Test
  void nothingIsBrokenWithoutAScreenOrWithColours() {
    assertThat(WrappedText.of("one two three", 0)).isEqualTo("one two three");
    assertThat(WrappedText.of("\u001b[1mone\u001b[0m two three", 8))
        .isEqualTo("\u001b[1mone\u001b[0m two three");
  }
}
