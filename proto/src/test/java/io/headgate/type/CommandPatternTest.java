package io.headgate.type;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandPatternTest {
  @ParameterizedTest
  @CsvSource({
    "/bin/true, /bin/true",
    "/bin/true, /bin/true|with|more",
    "/usr/bin/python3 -m train, /usr/bin/python3|-m|train|--epochs|3",
    "*, anything",
    "/usr/bin/python3 *, /usr/bin/python3|a/b c",
    "/opt/jobs/*, /opt/jobs/train.sh",
    "/opt/jobs/*.py, /opt/jobs/.py",
    "/opt/*/run-*-of-*, /opt/a/run-1-of-of-2",
    "/opt/jobs/.., /opt/jobs/..",
  })
  void meansCommandsThatBeginLikeIt(String pattern, String command) {
    assertThat(CommandPattern.parse(pattern).matches(words(command))).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "/bin/true, /bin/false",
    "/bin/true, true",
    "/usr/bin/python3 -m train, /usr/bin/python3|-m",
    "/usr/bin/python3 -m train, /usr/bin/python3|-m train",
    "/opt/jobs/*, /opt/jobs/deep/er",
    "/opt/jobs/*, /opt/jobs/..",
    "/opt/*/run, /opt/../run",
    "/opt/jobs/*, /opt/jobs",
    "/opt/jobs/a*a, /opt/jobs/a",
    "/opt/a*b*c, /opt/acb",
  })
  void meansNoOthers(String pattern, String command) {
    assertThat(CommandPattern.parse(pattern).matches(words(command))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a  b", " a", "a ", "a\tb"})
  void refusesWhatIsNoRowOfWords(String pattern) {
    assertThatThrownBy(() -> CommandPattern.parse(pattern))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + pattern + "'");
  }

  private static List<String> words(String command) {
    return Arrays.asList(command.split("\\|", -1));
  }
}
