package io.headgate.type;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.type.JobRules.Content;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The rules of a job's content that machines depend on.
class JobRulesTest {
  private static final Content GOOD =
      new Content(List.of("true"), List.of(), Map.of(), "", Optional.empty());

  private static List<String> fields(Content content) {
    return JobRules.problems(content).stream().map(JobRules.Problem::field).toList();
  }

  private static List<String> fieldsWith(String directory) {
    return fields(new Content(GOOD.command(), List.of(), Map.of(), directory, Optional.empty()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/a\nb", "/a\u0000b", "/a\u007f", "/\u009b31m", "relative", "/a/../b"})
  void refusesDirectoriesThatAreNotAbsoluteAndPlain(String directory) {
    assertThat(fieldsWith(directory)).containsExactly("working_directory");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/", "/srv/data", "/a b/ü", "/a/..b/c"})
  void takesPlainDirectories(String directory) {
    assertThat(fieldsWith(directory)).isEmpty();
  }

  @Test
  void namesEveryBrokenField() {
    assertThat(
            fields(
                new Content(
                    List.of("", "a\u0000"),
                    List.of("save\u0000"),
                    Map.of("1X", "fine"),
                    "",
                    Optional.of("train:latest"))))
        .containsExactly(
            "command[0]",
            "command[1]",
            "abort_callback.command[0]",
            "environment[1X]",
            "container.image");
    assertThat(fields(new Content(List.of(), List.of(), Map.of(), "", Optional.empty())))
        .containsExactly("command");
  }

  @Test
  void quotesNoControlCharacters() {
    assertThat(
            JobRules.problems(
                new Content(GOOD.command(), List.of(), Map.of(), "/a\nb", Optional.empty())))
        .singleElement()
        .extracting(JobRules.Problem::message)
        .asString()
        .startsWith("'/a\uFFFDb' has a control character");
  }
}
