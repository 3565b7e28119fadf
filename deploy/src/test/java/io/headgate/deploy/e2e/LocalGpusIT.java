package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.Submission;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// `headgate up` on a machine that has a GPU: where the linker looks for NVIDIA's library there is
/// the one that stands in for it (see the fakes in node-agent's tests).
@Execution(ExecutionMode.CONCURRENT)
class LocalGpusIT {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final long MIB = 1L << 20;

  @TempDir private Path directory;

  @Test
  void runsAJobOnHalfTheGpuOfThisMachineAndKeepsNothingIfItIsEphemeral() throws Exception {
    Path libraries = machineWithAGpu();
    Path temporary = Files.createDirectory(directory.resolve("temporary"));
    ProcessBuilder command =
        UpProcess.command(
            directory.resolve("config"),
            List.of("-Djava.io.tmpdir=" + temporary),
            "up",
            "--ephemeral",
            "--nodes",
            "local");
    command.environment().put("LD_LIBRARY_PATH", libraries.toString());
    command.environment().put("HEADGATE_AGENT_GPU_LOCK_DIRECTORY", directory.toString());
    UpProcess up = UpProcess.start(command);
    assertThat(up.screen()).contains("  GPUs         1 x RTX4090 23 GiB; ");
    Process second = command.redirectErrorStream(true).start();
    assertThat(new String(second.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
        .contains(
            "GPUs of this machine are in use by the agent of process "
                + up.process().pid()
                + " (data");
    assertThat(second.waitFor()).isNotZero();

    try (HeadgateClient client = up.connect(data(temporary))) {
      client
          .jobs("default")
          .submit(
              new Submission(
                  JobSpec.of(
                      "half",
                      List.of(
                          "sh",
                          "-c",
                          "echo $CUDA_VISIBLE_DEVICES $HEADGATE_GPU_MEMORY_LIMIT_BYTES")),
                  "half",
                  null));
      Optional<Job> done =
          client.jobs("default").await("half", job -> job.state() == JobState.DONE, PATIENCE);
      assertThat(done).as(() -> client.jobs("default").get("half").toString()).isPresent();
      assertThat(UpProcess.output(client, "half"))
          .isEqualTo("GPU-here %d\n".formatted(12032 * MIB));
    }
    up.stop();
    assertThat(temporary).isEmptyDirectory();
  }

  private static Path data(Path temporary) throws Exception {
    try (Stream<Path> all = Files.list(temporary)) {
      return all.filter(path -> path.getFileName().toString().startsWith("headgate-"))
          .findFirst()
          .orElseThrow();
    }
  }

  /// Where its libraries are.
  private Path machineWithAGpu() throws Exception {
    Path fakes = directory.resolve("fakes");
    Process compiler =
        new ProcessBuilder("sh", "../node-agent/src/test/c/build.sh", fakes.toString())
            .inheritIO()
            .start();
    assertThat(compiler.waitFor()).isZero();
    Files.move(fakes.resolve("libnvidia-ml-580.so.1"), fakes.resolve("libnvidia-ml.so.1"));
    Path gpu = Files.createDirectories(fakes.resolve("gpus/0"));
    Path lock = Files.createFile(fakes.resolve("gpus/lock"));
    Files.setPosixFilePermissions(lock, PosixFilePermissions.fromString("rw-rw-rw-"));
    Files.writeString(gpu.resolve("name"), "NVIDIA GeForce RTX 4090\n");
    Files.writeString(gpu.resolve("uuid"), "GPU-here\n");
    Files.writeString(gpu.resolve("memory"), "%d %d\n".formatted(24576 * MIB, 512 * MIB));
    return fakes;
  }
}
