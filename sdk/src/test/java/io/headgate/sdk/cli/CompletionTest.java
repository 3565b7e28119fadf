package io.headgate.sdk.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.sdk.gate.TestGate;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs the completion script in a real bash, with a `headgate` that asks a server.
class CompletionTest {
  private final TestGate gate = TestGate.open();
  @TempDir Path home;

  @BeforeEach
  void makeACommand() throws IOException {
    Fixtures.fill(gate);
    Files.writeString(
        home.resolve("completion.bash"), TestCli.at(gate, home).run("completion", "bash").out());
    // The script waits two seconds for names, which is too short for a JVM on a busy machine.
    Path command = home.resolve("headgate");
    Files.writeString(
        command,
        """
        #!/bin/bash
        exec '%s' %s -cp "$TEST_CLASS_PATH" \
          io.headgate.sdk.cli.HeadgateCli "${@/#2s/60s}"
        """
            .formatted(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                String.join(" ", CliProcess.FLAGS)));
    assertThat(command.toFile().setExecutable(true)).isTrue();
  }

  @AfterEach
  void close() {
    gate.close();
  }

  @Test
  void asksTheServerForNames() throws Exception {
    assertThat(complete("submit", "-q", "ai-")).containsExactly("ai-dev-eight", "ai-dev-half");
    assertThat(gate.calls).extracting(TestGate.Call::method).contains("ListQueues");

    assertThat(complete("policies", "res")).containsExactly("research");
    assertThat(complete("wait", "train-4", "train-")).contains("train-4", "train-5");
    assertThat(complete("drain", "gpu-")).containsExactly("gpu-03");
  }

  @Test
  void knowsCommandsAndFlagsByItself() throws Exception {
    assertThat(complete("exp")).containsExactly("explain", "export");
    assertThat(complete("submit", "--max")).containsExactly("--max-runtime");
    assertThat(gate.calls).isEmpty();
  }

  /// The completions of the last word.
  private List<String> complete(String... words) throws Exception {
    String script =
        """
        source "$HOME/completion.bash"
        COMP_WORDS=(headgate "$@")
        COMP_CWORD=$#
        _headgate
        printf '%s\\n' "${COMPREPLY[@]}"
        """;
    List<String> command = new ArrayList<>(List.of("bash", "--norc", "-c", script, "bash"));
    command.addAll(List.of(words));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("HOME", home.toString());
    builder.environment().put("XDG_CACHE_HOME", home.resolve("cache").toString());
    builder.environment().put("PATH", home + ":" + System.getenv("PATH"));
    builder.environment().put("TEST_CLASS_PATH", System.getProperty("java.class.path"));
    builder.environment().put("HEADGATE_SERVER", gate.address().toString());
    builder.environment().put("HEADGATE_KEY", TestGate.KEY);
    Process bash = builder.start();
    String offered = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(bash.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return offered.lines().filter(line -> !line.isEmpty()).sorted().toList();
  }
}
