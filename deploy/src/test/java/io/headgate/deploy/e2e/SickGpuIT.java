package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.AgentConfig;
import io.headgate.agent.GpuConfig;
import io.headgate.agent.NodeAgent;
import io.headgate.kit.config.Secret;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.headgate.sdk.model.Attempt;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.Submission;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A GPU that gets sick, from the driver to the command line, with the real services.
///
/// The agent uses a fake of NVIDIA's library for two GPUs that do not exist (see the fakes in
/// node-agent's tests).
class SickGpuIT {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final String NODE = "gpu-1";
  private static final String CONFIGURATION =
      """
      groups: [{name: team, users: [ada]}]
      pools: [{name: h100, type: static}]
      profiles: [{name: one, gpus: 1, pools: [h100]}]
      policies:
        - name: team
          group: team
          reservation: 2
          limit: 2
          queues: [{name: one, profile: one}]
      """;

  @TempDir private static Path directory;
  private static TestInstallation headgate;
  private static NodeAgent agent;

  @BeforeAll
  static void start() throws Exception {
    Process compiler =
        new ProcessBuilder("sh", "../node-agent/src/test/c/build.sh", directory + "/fakes")
            .inheritIO()
            .start();
    assertThat(compiler.waitFor()).isZero();
    Files.copy(
        directory.resolve("fakes/libnvidia-ml-580.so.1"), directory.resolve("libnvidia-ml.so.1"));
    for (int gpu = 0; gpu < 2; gpu++) {
      Path state = Files.createDirectories(directory.resolve("gpus/" + gpu));
      Files.writeString(state.resolve("name"), "NVIDIA H100 80GB HBM3\n");
      Files.writeString(state.resolve("uuid"), "GPU-" + gpu + "\n");
      Files.writeString(state.resolve("memory"), (80L << 30) + " " + (1L << 30) + "\n");
      Files.writeString(state.resolve("mig"), "0\n");
    }
    headgate =
        TestInstallation.start(Files.createDirectory(directory.resolve("up")))
            .withConfiguration(CONFIGURATION);
    String joinToken = headgate.operator().createJoinToken(TestInstallation.TENANT, "h100", 1);
    agent =
        new NodeAgent(
            AgentConfig.of(directory.resolve("agent"), NODE, headgate.installation().uri())
                .withJoinToken(Secret.of(joinToken))
                .withGpus(
                    new GpuConfig(
                        GpuConfig.Driver.NVML,
                        new GpuConfig.Nvml(
                            directory.resolve("libnvidia-ml.so.1").toString(), PATIENCE),
                        GpuConfig.Rocm.DEFAULTS,
                        GpuConfig.Mig.DEFAULTS,
                        GpuConfig.Mps.DEFAULTS,
                        GpuConfig.Watchdog.DEFAULTS,
                        new GpuConfig.Health(Duration.ofMillis(200), false))),
            Telemetry.disabled(),
            TimeSource.system());
    agent.start();
  }

  @AfterAll
  static void stop() {
    agent.stopJobsAndClose(PATIENCE);
    headgate.close();
  }

  private static void submit(String id, String script) {
    headgate
        .jobs()
        .submit(new Submission(JobSpec.of("one", List.of("bash", "-c", script)), id, null));
  }

  private static int device(Attempt attempt) {
    return attempt.placements().getFirst().slices().getFirst().deviceIndex();
  }

  private static List<String> cli(String... words) {
    LiveCli.Result result = LiveCli.of(headgate).run(words);
    assertThat(result.exitCode()).as(result.err()).isZero();
    return result.lines();
  }

  private static Path gpu(int device, String file) {
    return directory.resolve("gpus/" + device + "/" + file);
  }

  @Test
  void runsAJobElsewhereWhoseGpuFellOffTheBusAndSaysWhyNothingComesThere() throws IOException {
    submit("train", "exec sleep 3600");
    Job first = headgate.awaitState("train", JobState.RUNNING);
    int sick = device(first.attempts().getFirst());
    Files.writeString(gpu(sick, "lost"), "");
    headgate.await(
        "train", "run again", job -> job.attempt() == 2 && job.state() == JobState.RUNNING);
    Job again = headgate.jobs().get("train");
    assertThat(device(again.attempts().get(1))).isEqualTo(1 - sick);
    assertThat(again.attempts().getFirst().error())
        .startsWith("its GPU GPU-" + sick + " failed: its driver has lost it (");

    // Nothing comes to the sick one, and the reason does not say that it never fits.
    submit("next", "exec sleep 3600");
    headgate.awaitState("next", JobState.WAITING);
    await()
        .atMost(PATIENCE)
        .until(() ->
            String.join("\n", cli("explain", "next")).contains("CAPACITY: needs 1 GPU in h100, "));
    assertThat(cli("nodes")).anyMatch(line -> line.contains("2 x H100 79GiB, 1 unhealthy"));
    assertThat(cli("nodes", NODE))
        .anyMatch(line ->
            line.startsWith("gpu trouble   GPU " + sick + " unhealthy: its driver has lost it (")
                && line.endsWith("(restart the machine)"));
    assertThat(cli("events"))
        .anyMatch(line ->
            line.contains(
                "GPU %d (GPU-%d) of %s is unhealthy, and gets no new work: its driver has lost it"
                    .formatted(sick, sick, NODE)));

    Files.delete(gpu(sick, "lost"));
    Job next = headgate.awaitState("next", JobState.RUNNING);
    assertThat(device(next.attempts().getLast())).isEqualTo(sick);
    assertThat(cli("nodes", NODE)).anyMatch(line -> line.matches("gpu trouble +-"));
    for (String job : List.of("train", "next")) {
      headgate.jobs().cancel(job);
      headgate.awaitState(job, JobState.CANCELLED);
    }

    // A program's own fault does not make its GPU sick.
    submit("broken", "while [ ! -e $HEADGATE_CHECKPOINT_DIR/go ]; do sleep 0.05; done; exit 3");
    headgate.awaitState("broken", JobState.RUNNING);
    int device = device(headgate.jobs().get("broken").attempts().getFirst());
    Path events = directory.resolve("gpus/events");
    Files.writeString(events, device + " 8 31\n");
    await().atMost(PATIENCE).until(() -> !Files.exists(events));
    Files.writeString(
        directory.resolve("agent/checkpoints/" + TestInstallation.TENANT + "/broken/go"), "");
    Job broken = headgate.awaitState("broken", JobState.FAILED);
    assertThat(broken.attempts()).hasSize(1);
    assertThat(cli("nodes", NODE)).anyMatch(line -> line.matches("gpu trouble +-"));
  }
}
