package io.headgate.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The table of promises in the README names tests that there are.
class PromisesTest {
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| R([0-9]+) [^|]*\\|([^|]*)\\|([^|]*)\\|$");
  private static final Pattern TEST = Pattern.compile("`([A-Za-z]+)#([A-Za-z]+)`");
  private static final int PROMISES = 25;

  @Test
  void everyPromiseHasTestsThatThereAreOrAReason() throws IOException {
    Map<String, List<String>> tests = tests();
    List<MatchResult> rows = ROW.matcher(Files.readString(Path.of("README.md"))).results().toList();
    assertThat(rows)
        .extracting(row -> row.group(1))
        .containsExactlyElementsOf(
            IntStream.rangeClosed(1, PROMISES).mapToObj(Integer::toString).toList());
    for (MatchResult row : rows) {
      List<MatchResult> named = TEST.matcher(row.group(2)).results().toList();
      assertThat(named.isEmpty() && row.group(3).isBlank())
          .as("R%s has neither test nor reason", row.group(1))
          .isFalse();
      for (MatchResult test : named) {
        assertThat(tests.getOrDefault(test.group(1), List.of()))
            .as("R%s: %s", row.group(1), test.group())
            .anyMatch(source -> source.contains("void " + test.group(2) + "("));
      }
    }
  }

  /// What tests say, by the name of their class; several modules may use one.
  private static Map<String, List<String>> tests() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of(".."))) {
      return files
          .filter(file -> file.toString().contains("/src/test/java/"))
          .filter(file -> file.toString().matches(".*(Test|IT)\\.java"))
          .collect(
              Collectors.groupingBy(
                  file -> file.getFileName().toString().replace(".java", ""),
                  Collectors.mapping(PromisesTest::read, Collectors.toList())));
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
