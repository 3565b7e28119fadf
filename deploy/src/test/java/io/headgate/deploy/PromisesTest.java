package io.headgate.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/// Every test that docs/reference/promises.md names exists, asserts something, and runs. No
/// annotation disables it, and a test that only one profile runs is marked with the profile's name.
///
/// With `-Dheadgate.test.reports=true`, after all other tests, it also looks for each test in the
/// reports.
class PromisesTest {
  private static final Pattern PROMISE =
      Pattern.compile("(?m)^\\| R([0-9]+) [^|]*\\|([^|]*)\\|([^|]*)\\|$");
  private static final Pattern INVARIANT =
      Pattern.compile("(?m)^\\| I([0-9]+) [^|]*\\|([^|]*)\\|$");

  /// A test's class, its method, and the profile that alone runs it or that skips it.
  private static final Pattern TEST =
      Pattern.compile("`([A-Za-z]+)#([A-Za-z]+)`(?: \\((faults|skipped where [^)]*)\\))?");

  private static final Pattern CASE =
      Pattern.compile(
          "<testcase name=\"(\\w+)[^\"]*\" classname=\"([^\"]+)\"[^>]*>\\s*(<skipped)?");
  private static final int PROMISES = 25;
  private static final int INVARIANTS = 10;

  private final TestClasses classes = TestClasses.in(Path.of(".."));

  PromisesTest() throws IOException {}

  @Test
  void everyPromiseHasTestsThatThereAreOrAReason() throws IOException {
    SoftAssertions softly = new SoftAssertions();
    for (MatchResult row : rows(PROMISE, PROMISES)) {
      softly
          .assertThat(namedIn(row, softly).isEmpty() && row.group(3).isBlank())
          .as("R%s has neither test nor reason", row.group(1))
          .isFalse();
    }
    softly.assertAll();
  }

  @Test
  void everyInvariantHasTestsThatThereAre() throws IOException {
    SoftAssertions softly = new SoftAssertions();
    for (MatchResult row : rows(INVARIANT, INVARIANTS)) {
      softly.assertThat(namedIn(row, softly)).as("tests of I%s", row.group(1)).isNotEmpty();
    }
    softly.assertAll();
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

  /// The tests that a row names, after a check of each.
  private List<MatchResult> namedIn(MatchResult row, SoftAssertions softly) {
    List<MatchResult> named = TEST.matcher(row.group(2)).results().toList();
    for (MatchResult test : named) {
      String what = "%s: %s".formatted(row.group().substring(2, 5), test.group());
      List<TestClasses.Declared> declared = classes.named(test.group(1), test.group(2));
      softly.assertThat(declared).as(what).isNotEmpty();
      boolean isOfFaults = "faults".equals(test.group(3));
      softly
          .assertThat(declared)
          .as("%s has conditions", what)
          .allMatch(one -> one.conditions().isEmpty());
      softly
          .assertThat(declared)
          .as("%s is run under the profile that the row says", what)
          .allMatch(one -> one.tags().equals(isOfFaults ? Set.of("faults") : Set.of()));
      softly
          .assertThat(declared)
          .as("%s asserts something", what)
          .allMatch(TestClasses.Declared::asserts);
    }
    return named;
  }

  @Test
  @EnabledIfSystemProperty(named = "headgate.test.reports", matches = "true")
  void everyNamedTestWasRun() throws IOException {
    SoftAssertions softly = new SoftAssertions();
    Map<String, Boolean> ran = reported();
    for (MatchResult row :
        Stream.concat(rows(PROMISE, PROMISES).stream(), rows(INVARIANT, INVARIANTS).stream())
            .toList()) {
      for (MatchResult test : TEST.matcher(row.group(2)).results().toList()) {
        @Nullable Boolean run = ran.get(test.group(1) + "#" + test.group(2));
        boolean maySkip = test.group(3) != null && test.group(3).startsWith("skipped where");
        softly
            .assertThat(run != null && (run || maySkip))
            .as("%s was run: %s", test.group(), run == null ? "no report" : "not skipped: " + run)
            .isTrue();
      }
    }
    softly.assertAll();
  }

  /// Tests of all reports, by class and method; true when at least one of a test's cases was not
  /// skipped.
  private static Map<String, Boolean> reported() throws IOException {
    Map<String, Boolean> ran = new HashMap<>();
    for (Path reports : reports()) {
      try (Stream<Path> files = Files.list(reports)) {
        for (Path file : files.filter(one -> one.toString().endsWith(".xml")).toList()) {
          CASE.matcher(Files.readString(file))
              .results()
              .forEach(one -> {
                String type = one.group(2);
                ran.merge(
                    type.substring(type.lastIndexOf('.') + 1) + "#" + one.group(1),
                    one.group(3) == null,
                    Boolean::logicalOr);
              });
        }
      }
    }
    return ran;
  }

  private static List<Path> reports() throws IOException {
    try (Stream<Path> modules = Files.list(Path.of(".."))) {
      return modules
          .flatMap(module ->
              Stream.of(
                  module.resolve("target/surefire-reports"),
                  module.resolve("target/failsafe-reports")))
          .filter(Files::isDirectory)
          .toList();
    }
  }
}
