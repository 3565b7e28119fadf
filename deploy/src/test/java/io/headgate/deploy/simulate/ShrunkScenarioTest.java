package io.headgate.deploy.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.deploy.PipedCli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// The command plays the scenario that a failing property of the core leaves behind, and repeats
/// the core's decisions. The core's tests wrote the file, and `ShrinkerTest` in scheduler-service
/// compares the lines beside it with its own run. `-Dgolden=write` writes the lines.
class ShrunkScenarioTest {
  private static final Path FILE =
      Path.of("..", "scheduler-service", "src", "test", "shrunk", "two-victims.yaml");

  @Test
  void printsWhatTheCoreDecidedInItsTest() throws IOException {
    PipedCli.Result result = SimulateCli.run(FILE.toString());
    Path lines = FILE.resolveSibling("two-victims.jsonl");
    if ("write".equals(System.getProperty("golden"))) {
      Files.writeString(lines, result.out());
    }
    assertThat(result.err()).isEmpty();
    assertThat(result.exitCode()).isZero();
    assertThat(result.out()).isEqualTo(Files.readString(lines));
  }
}
