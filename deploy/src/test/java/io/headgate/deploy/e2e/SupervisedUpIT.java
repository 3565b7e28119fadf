package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `deploy/headgate up` starts the installation again after its process has died.
class SupervisedUpIT {
  @TempDir private Path directory;

  @Test
  void aKilledInstallationIsStartedAgainAndStopsInOrder() throws Exception {
    Process launcher = launch("--nodes", "none");
    BufferedReader screen = launcher.inputReader(StandardCharsets.UTF_8);
    try {
      assertThat(until(screen, "Ready in")).as("the first start is ready").isNotNull();
      ProcessHandle first = installation(launcher);
      assertThat(first.destroyForcibly()).isTrue();

      assertThat(until(screen, "starting it again")).contains("up ended with status 137");
      assertThat(until(screen, "Ready in")).as("the second start is ready").isNotNull();
      ProcessHandle second = installation(launcher);
      assertThat(second.pid()).isNotEqualTo(first.pid());

      launcher.toHandle().destroy(); // Process.destroy would also close the screen.
      assertThat(until(screen, "Stopped.")).as("it stops in order").isNotNull();
      assertThat(launcher.waitFor(2, TimeUnit.MINUTES)).isTrue();
      assertThat(second.isAlive()).isFalse();
    } finally {
      launcher.descendants().forEach(ProcessHandle::destroyForcibly);
      launcher.destroyForcibly();
    }
  }

  @Test
  void aRefusalIsNotRepeated() throws Exception {
    Process launcher = launch("--nodes", "sim:0x0xNOTHING");
    String all = new String(launcher.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(launcher.waitFor()).isEqualTo(2);
    assertThat(all).contains("BAD_FLAG_VALUE").doesNotContain("starting it again");
  }

  private Process launch(String... more) throws IOException {
    List<String> command = new ArrayList<>(List.of("./headgate", "up", "--port", "0"));
    command.addAll(List.of("--data", directory.resolve("data").toString()));
    command.addAll(List.of(more));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("XDG_CONFIG_HOME", directory.resolve("contexts").toString());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    return builder.start();
  }

  /// The Java process of the launcher.
  private static ProcessHandle installation(Process launcher) {
    return launcher.children().filter(ProcessHandle::isAlive).findFirst().orElseThrow();
  }

  /// The first line with the text; null: the output has ended.
  private static @Nullable String until(BufferedReader screen, String text) throws IOException {
    for (String line = screen.readLine(); line != null; line = screen.readLine()) {
      if (line.contains(text)) {
        return line;
      }
    }
    return null;
  }
}
