package io.headgate.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class UpScreenTest {
  private static String title(int width) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new UpScreen(new PrintStream(out, true, UTF_8), width, Optional.empty())
        .title("machine.with.a.long.name.example", true);
    return out.toString(UTF_8);
  }

  @Test
  void noLineIsWiderThanTheTerminal() {
    assertThat(title(60).lines()).allMatch(line -> line.length() <= 60);
  }

  @Test
  void withoutATerminalLinesStayWhole() {
    assertThat(title(0).lines().findFirst())
        .hasValueSatisfying(
            line -> assertThat(line).endsWith("on machine.with.a.long.name.example"));
  }
}
