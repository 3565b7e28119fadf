package io.headgate.sdk.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The command reports output that it cannot write; it runs in a process of its own.
class FullDiskTest {
  @Test
  void aCommandWhoseOutputIsLostFails() throws Exception {
    Process command =
        new ProcessBuilder(CliProcess.command("help"))
            .redirectOutput(new File("/dev/full"))
            .start();

    assertThat(new String(command.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
        .isEqualTo("error: cannot write the output: No space left on device\n");
    assertThat(command.waitFor()).isEqualTo(1);
  }

  @Test
  void aReaderWhoHasSeenEnoughIsNoFailure() throws Exception {
    List<String> words =
        new ArrayList<>(List.of("bash", "-c", "\"$@\" | true; exit ${PIPESTATUS[0]}", "-"));
    words.addAll(CliProcess.command("help"));
    Process command = new ProcessBuilder(words).start();

    assertThat(new String(command.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
        .isEmpty();
    assertThat(command.waitFor()).isZero();
  }
}
