package io.headgate.agent.runtime.output;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.runtime.output.OutputLines.Line;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Output becomes the lines that were printed, wherever it is cut for reading.
class OutputLinesTest {
  private static OutputLines cut(long offset, String output, boolean isLast) {
    return OutputLines.cut(offset, output.getBytes(StandardCharsets.UTF_8), isLast);
  }

  private static List<String> texts(OutputLines output) {
    return output.lines().stream().map(Line::text).toList();
  }

  @Test
  void keepsBackALineThatIsNotComplete() {
    OutputLines output = cut(100, "one\ntwo\nthr", false);
    assertThat(output.lines()).containsExactly(new Line(100, "one"), new Line(104, "two"));
    assertThat(output.endOffset()).isEqualTo(108);
  }

  @Test
  void takesTheRestForALineAtTheEnd() {
    OutputLines output = cut(0, "one\ntwo", true);
    assertThat(texts(output)).containsExactly("one", "two");
    assertThat(output.endOffset()).isEqualTo(7);
  }

  @Test
  void leavesOutEmptyLinesAndTheEndsOfWindows() {
    OutputLines output = cut(0, "\n\none\r\n\r\ntwo\n", false);
    assertThat(texts(output)).containsExactly("one", "two");
    assertThat(output.endOffset()).isEqualTo(13);
  }

  @Test
  void cutsALineThatIsTooLongBetweenCharacters() {
    // Three bytes each, so that the limit lies inside of a character.
    String line = "あ".repeat(OutputLines.MOST_BYTES);
    OutputLines output = cut(0, line + "\n", false);
    assertThat(String.join("", texts(output))).isEqualTo(line);
    assertThat(output.lines())
        .allSatisfy(each ->
            assertThat(each.text().getBytes(StandardCharsets.UTF_8))
                .hasSizeLessThanOrEqualTo(OutputLines.MOST_BYTES));
  }

  /// A record is much larger than a short line.
  @Test
  void cutsNoMoreLinesThanAReceiverTakesInOneRequest() {
    String output = "y\n".repeat(5 * OutputLines.MOST_LINES / 2);
    OutputLines first = cut(0, output, true);
    assertThat(first.lines()).hasSize(OutputLines.MOST_LINES);
    assertThat(first.endOffset()).isEqualTo(2L * OutputLines.MOST_LINES);
    assertThat(cut(0, "y\n".repeat(OutputLines.MOST_LINES) + "rest", true).endOffset())
        .as("the rest is a line of the next request")
        .isEqualTo(2L * OutputLines.MOST_LINES);
  }

  @Test
  void showsBytesThatAreNoTextAsReplacementCharacters() {
    OutputLines output = OutputLines.cut(0, new byte[] {'a', (byte) 0xff, 'b', '\n'}, false);
    assertThat(texts(output)).containsExactly("a\ufffdb");
    byte[] noText = new byte[3 * OutputLines.MOST_BYTES];
    Arrays.fill(noText, (byte) 0x80);
    assertThat(OutputLines.cut(0, noText, true).endOffset()).isEqualTo(noText.length);
  }

  /// Reading at any speed gives the same lines at the same places.
  @Test
  void doesNotDependOnWhereItIsCutForReading() {
    long seed = Long.getLong("headgate.seed", 20261127);
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      StringBuilder text = new StringBuilder();
      for (int line = random.nextInt(20); line >= 0; line--) {
        text.append("é".repeat(random.nextInt(30))).append(random.nextBoolean() ? "\n" : "\r\n");
      }
      byte[] all = text.toString().getBytes(StandardCharsets.UTF_8);
      List<Line> found = new ArrayList<>();
      int done = 0;
      int read = 0;
      while (read < all.length) {
        read = Math.min(all.length, read + 1 + random.nextInt(40));
        byte[] part = Arrays.copyOfRange(all, done, read);
        OutputLines cut = OutputLines.cut(done, part, read == all.length);
        found.addAll(cut.lines());
        done = (int) cut.endOffset();
      }
      assertThat(found)
          .as("seed %s, round %s", seed, round)
          .isEqualTo(OutputLines.cut(0, all, true).lines());
    }
  }
}
