package io.headgate.deploy.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The demo's training saves its work whenever the scheduler asks, at any point of an epoch.
class TrainingProgramTest {
  @TempDir Path directory;

  @Test
  void savesWhenItIsAskedBeforeItListens() throws Exception {
    DemoFiles files = DemoFiles.writeTo(directory);
    Process asking = python(files, "checkpoint", "--timeout", "60");
    Process training =
        python(files, "run", "--data", files.dataSet().toString(), "--epochs", "99999");
    try {
      assertThat(asking.waitFor(90, TimeUnit.SECONDS)).isTrue();
      assertThat(asking.exitValue()).isZero();
      assertThat(directory.resolve("model.json")).content().contains("epoch");
    } finally {
      asking.destroyForcibly().waitFor();
      training.destroyForcibly().waitFor();
    }
  }

  /// Runs the program in a job's environment.
  private Process python(DemoFiles files, String... words) throws IOException {
    List<String> command = new ArrayList<>(List.of("python3", files.program().toString()));
    command.addAll(List.of(words));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.environment().put("HEADGATE_CHECKPOINT_DIR", directory.toString());
    builder.environment().put("TMPDIR", directory.toString());
    return builder.start();
  }
}
