package io.headgate.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class OutputMaskTest {
  private static final long SEED = 4;
  private static final String SECRET = "hunter2-hunter2";
  private static final AttemptLogs.Stream OUT = AttemptLogs.Stream.STDOUT;

  @TempDir Path attempt;

  private static String masked(String text, String... values) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    new OutputMask(List.of(values)).apply(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  @Test
  void masksWholeValuesAndOverlappingOnes() {
    assertThat(masked("key=hunter2-hunter2;", SECRET)).isEqualTo("key=***************;");
    assertThat(masked("hunter2-hunter", SECRET)).isEqualTo("hunter2-hunter");
    assertThat(masked("hunter2-hunter2-hunter2.", SECRET)).isEqualTo("***********************.");
    assertThat(masked("abcdefgh12345678", "abcdefgh1", "h12345678")).isEqualTo("****************");
  }

  @Test
  void leavesShortValuesAlone() {
    assertThat(masked("port 8080, mode training", "8080", "trainin")).contains("8080", "training");
    assertThat(masked("mode training", "training")).isEqualTo("mode ********");
  }

  @Test
  void masksEachLineOfAValue() {
    String key = "BEGIN-KEY-1\nc2VjcmV0LTE=\nEND-KEY-1";
    assertThat(masked("1: BEGIN-KEY-1\n2: c2VjcmV0LTE=", key))
        .isEqualTo("1: ***********\n2: ************");
  }

  @Test
  void masksTheEndOfAValueWhoseBeginningIsRotatedAway() throws Exception {
    print("0123456" + SECRET + " and more", 10);
    Files.delete(attempt.resolve("logs/stdout.0"));
    assertThat(read(0, 4, true)).isEqualTo("*".repeat(SECRET.length() - 3) + " and more");
    assertThat(read(12, 4, true)).isEqualTo("*".repeat(SECRET.length() - 5) + " and more");
  }

  /// A value right behind the cut may begin as another one ends.
  @Test
  void masksAWholeValueAtTheCut() throws Exception {
    print("0123456789" + SECRET + " and more", 10);
    Files.delete(attempt.resolve("logs/stdout.0"));
    assertThat(read(10, 40, true)).isEqualTo("*".repeat(SECRET.length()) + " and more");
  }

  /// Files as a supervisor writes them.
  private void print(String text, int segmentBytes) throws Exception {
    Files.createDirectories(attempt.resolve("logs"));
    Files.writeString(attempt.resolve("spec"), "log_segment_bytes=" + segmentBytes + "\n");
    Files.writeString(attempt.resolve("masked"), "on\0" + SECRET + "\0");
    for (int at = 0; at < text.length(); at += segmentBytes) {
      Files.writeString(
          attempt.resolve("logs/stdout." + at / segmentBytes),
          text.substring(at, Math.min(text.length(), at + segmentBytes)));
    }
  }

  private String read(long from, int size, boolean ended) throws Exception {
    StringBuilder text = new StringBuilder();
    try (AttemptLogs logs = AttemptLogs.open(attempt).orElseThrow()) {
      Optional<AttemptLogs.Piece> piece = logs.read(OUT, from, size, ended);
      while (piece.isPresent()) {
        text.append(StandardCharsets.UTF_8.decode(piece.get().bytes().duplicate()));
        piece = logs.read(OUT, piece.get().endOffset(), size, ended);
      }
    }
    return text.toString();
  }

  @Test
  void masksAcrossPiecesAndSegmentsAndFromTheMiddle() throws Exception {
    Random random = new Random(SEED);
    for (int round = 0; round < 200; round++) {
      String before = "a".repeat(random.nextInt(40));
      String after = "b".repeat(random.nextInt(40));
      String text = before + SECRET + after;
      print(text, 5 + random.nextInt(30));
      String expected = before + "*".repeat(SECRET.length()) + after;
      assertThat(read(0, 1 + random.nextInt(20), true))
          .as("seed %d, %s", SEED, text)
          .isEqualTo(expected);
      int from = random.nextInt(text.length());
      assertThat(read(from, 1 + random.nextInt(20), true))
          .as("seed %d, %s from %d", SEED, text, from)
          .isEqualTo(expected.substring(from));
      try (var files = Files.list(attempt.resolve("logs"))) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
    }
  }

  @Test
  void keepsBackWhatMayBecomeAValue() throws Exception {
    print("key=hunter2-", 1000);
    assertThat(read(0, 100, false)).isEqualTo("key=");
    assertThat(read(0, 100, true)).isEqualTo("key=hunter2-");
    print("key=hunter2-hunter2", 1000);
    assertThat(read(0, 100, false)).isEqualTo("key=***************");
  }
}
