package io.headgate.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Every test that docs/reference/promises.md names exists.
class PromisesTest {
  private static final Pattern PROMISE =
      Pattern.compile("(?m)^\\| R([0-9]+) [^|]*\\|([^|]*)\\|([^|]*)\\|$");
  private static final Pattern INVARIANT =
      Pattern.compile("(?m)^\\| I([0-9]+) [^|]*\\|([^|]*)\\|$");
  private static final Pattern TEST = Pattern.compile("`([A-Za-z]+)#([A-Za-z]+)`");
  private static final int PROMISES = 25;
  private static final int INVARIANTS = 10;

  @Test
  void everyPromiseHasTestsThatThereAreOrAReason() throws IOException {
    for (MatchResult row : rows(PROMISE, PROMISES)) {
      assertThat(namedIn(row).isEmpty() && row.group(3).isBlank())
          .as("R%s has neither test nor reason", row.group(1))
          .isFalse();
    }
  }

  @Test
  void everyInvariantHasTestsThatThereAre() throws IOException {
    for (MatchResult row : rows(INVARIANT, INVARIANTS)) {
      assertThat(namedIn(row)).as("tests of I%s", row.group(1)).isNotEmpty();
    }
  }

  private static List<MatchResult> rows(Pattern kind, int count) throws IOException {
    List<MatchResult> rows =
        kind.matcher(Files.readString(Path.of("../docs/reference/promises.md"))).results().toList();
    assertThat(rows)
        .extracting(row -> row.group(1))
        .containsExactlyElementsOf(
            IntStream.rangeClosed(1, count).mapToObj(Integer::toString).toList());
    return rows;
  }

  /// The tests that a row names, all of which there are.
  private static List<MatchResult> namedIn(MatchResult row) throws IOException {
    Map<String, List<String>> tests = tests();
    List<MatchResult> named = TEST.matcher(row.group(2)).results().toList();
    for (MatchResult test : named) {
      assertThat(tests.getOrDefault(test.group(1), List.of()))
          .as("%s: %s", row.group().substring(2, 5), test.group())
          .anyMatch(source -> source.contains("void " + test.group(2) + "("));
    }
    return named;
  }

  /// What tests say, by the name of their class; several modules may use one.
  private static Map<String, List<String>> tests() throws IOException {
    Map<String, List<String>> tests = new HashMap<>();
    for (Path sources : sources()) {
      try (Stream<Path> files = Files.walk(sources)) {
        files
            .filter(file -> file.toString().matches(".*(Test|IT)\\.java"))
            .forEach(file ->
                tests
                    .computeIfAbsent(
                        file.getFileName().toString().replace(".java", ""), _ -> new ArrayList<>())
                    .add(read(file)));
      }
    }
    return tests;
  }

  /// Of all modules, and no more: other tests may be at work in what is built.
  private static List<Path> sources() throws IOException {
    try (Stream<Path> modules = Files.list(Path.of(".."))) {
      return modules
          .map(module -> module.resolve("src/test/java"))
          .filter(Files::isDirectory)
          .toList();
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
