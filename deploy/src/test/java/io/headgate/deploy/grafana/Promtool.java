package io.headgate.deploy.grafana;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.testing.Needed;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// The checker of Prometheus, where this machine has it.
public final class Promtool {
  private static final int BOUND_SECONDS = 180;

  private Promtool() {}

  /// Succeeds, else shows what promtool said.
  public static void succeeds(Path directory, String... words)
      throws IOException, InterruptedException {
    Optional<Path> program =
        Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
            .map(path -> Path.of(path, "promtool"))
            .filter(Files::isExecutable)
            .findFirst();
    Needed.PROMETHEUS.demand(program.isPresent());
    List<String> command = new ArrayList<>(List.of(program.orElseThrow().toString()));
    command.addAll(List.of(words));
    Path output = Files.createTempFile(directory, "promtool", ".txt");
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(BOUND_SECONDS, TimeUnit.SECONDS)).as("promtool ends").isTrue();
      assertThat(process.exitValue())
          .as("%s\n%s", String.join(" ", command), Files.readString(output))
          .isZero();
    } finally {
      process.destroyForcibly();
    }
  }
}
