package io.headgate.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;

/// docs/security.md has each threat with its control, its tests and its open part, and every test
/// that it names exists and is not disabled.
class SecurityModelTest {
  private static final int THREATS = 24;

  private static final Pattern SECTION =
      Pattern.compile("(?ms)^### T([0-9]+) [^\\n]*\\n(.*?)(?=^##|\\z)");
  private static final Pattern PART =
      Pattern.compile("(?ms)^- \\*\\*(Control|Test|Open)\\*\\*: (.*?)(?=^- |\\z)");
  private static final Pattern TEST = Pattern.compile("`([A-Z]\\w+(?:Test|IT))(?:#(\\w+))?`");

  private final TestClasses classes = TestClasses.in(Path.of(".."));

  SecurityModelTest() throws IOException {}

  @Test
  void hasEachThreatOnceWithItsControlItsTestsAndItsOpenPart() throws IOException {
    List<MatchResult> sections = sections();
    assertThat(sections)
        .extracting(section -> Integer.valueOf(section.group(1)))
        .containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(1, THREATS).boxed().toList());
    assertThat(sections)
        .allSatisfy(section ->
            assertThat(PART.matcher(section.group(2)).results().map(part -> part.group(1)))
                .as("parts of T%s", section.group(1))
                .containsExactly("Control", "Test", "Open"));
  }

  @Test
  void namesTestsThatExist() throws IOException {
    SoftAssertions softly = new SoftAssertions();
    for (MatchResult section : sections()) {
      List<MatchResult> tests = TEST.matcher(section.group(2)).results().toList();
      softly
          .assertThat(!tests.isEmpty() || section.group(2).contains("**Test**: none"))
          .as("T%s names a test, or says that it has none", section.group(1))
          .isTrue();
      for (MatchResult test : tests) {
        String what = "T%s: %s".formatted(section.group(1), test.group());
        if (test.group(2) == null) {
          softly.assertThat(classes.contains(test.group(1))).as(what).isTrue();
        } else {
          softly
              .assertThat(classes.named(test.group(1), test.group(2)))
              .as(what)
              .isNotEmpty()
              .allMatch(one -> one.conditions().isEmpty());
        }
      }
    }
    softly.assertAll();
  }

  private static List<MatchResult> sections() throws IOException {
    return SECTION.matcher(Files.readString(Path.of("../docs/security.md"))).results().toList();
  }
}
