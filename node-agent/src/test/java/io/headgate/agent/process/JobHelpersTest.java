package io.headgate.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.core.JobProgress;
import io.headgate.kit.testing.Needed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The SDK's Python module and bash file, used by jobs under a real supervisor.
class JobHelpersTest {
  private static final Path SDK = Path.of("../sdk").toAbsolutePath().normalize();
  private static final Path PYTHON = Path.of("/usr/bin/python3");
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir Path root;
  private SupervisedJob job;

  @BeforeEach
  void makeJob() throws IOException {
    job = new SupervisedJob(root);
    Path home = Files.createDirectory(job.attempt.resolve("work"));
    job.environment("HEADGATE_ON_ABORT", job.attempt.resolve("on-abort").toString())
        .environment("HEADGATE_PROGRESS", home.resolve(".headgate-progress").toString())
        .environment("HEADGATE_CHECKPOINTED", home.resolve(".headgate-checkpointed").toString())
        .environment("HEADGATE_ATTEMPT", "2")
        .environment("HEADGATE_RESUME", "1")
        .environment("HEADGATE_CHECKPOINT_DIR", root.toString())
        .environment("PYTHONPATH", SDK.resolve("python").toString())
        .environment("PYTHONDONTWRITEBYTECODE", "1")
        .callbackTime(LONG);
  }

  @AfterEach
  void endJob() throws IOException {
    job.close();
  }

  private void python(String program) throws Exception {
    Needed.PYTHON.demand(Files.isExecutable(PYTHON));
    Path file = Files.writeString(root.resolve("train.py"), program);
    assertThat(job.launch(List.of(PYTHON.toString(), "-u", file.toString())))
        .isInstanceOf(SupervisorLauncher.Result.Started.class);
    job.awaitOutput("running");
  }

  /// The steps of a stop, with how they ended.
  private List<String> stop() throws Exception {
    try (SupervisorLink link = job.link()) {
      link.stop("preempted", LONG, LONG);
      assertThat(job.awaitEnd().reason()).isEqualTo("preempted");
    }
    return job.status().observation().steps().stream()
        .flatMap(step -> step.result().map(result -> step.phase() + " " + result).stream())
        .toList();
  }

  @Test
  void callsAPythonFunctionInTheMainThreadBeforeSigterm() throws Exception {
    python(
        """
        import headgate, threading, time
        print(headgate.in_job(), headgate.attempt(), headgate.resuming())
        def save():
            assert threading.current_thread() is threading.main_thread()
            (headgate.checkpoint_dir() / "model").write_text("saved")
            print("saving")
            headgate.checkpointed()
        headgate.on_preempt(save)
        headgate.progress(400, 1000, "epoch 3")
        headgate.progress("much")
        headgate.progress(400, 1000, "epoch \\udc80")
        print("running")
        while True: time.sleep(1)
        """);

    assertThat(ProgressFiles.read(job.attempt))
        .isEqualTo(new JobProgress.Said(OptionalDouble.of(0.4), "epoch 3", 0));
    assertThat(stop()).containsExactly("CALLBACK OK", "TERM OK");
    assertThat(job.output()).isEqualTo("True 2 True\nrunning\nsaving\n");
    assertThat(job.output(AttemptLogs.Stream.STDERR).lines())
        .hasSize(2)
        .allMatch(line -> line.startsWith("headgate: not told: "));
    assertThat(ProgressFiles.read(job.attempt).checkpoint()).isNotZero();
    assertThat(root.resolve("model")).hasContent("saved");
  }

  @Test
  void tellsWhenThePythonFunctionFailed() throws Exception {
    python(
        """
        import headgate, time
        def save(): raise OSError("no room")
        headgate.on_preempt(save)
        print("running")
        while True: time.sleep(1)
        """);

    assertThat(stop()).containsExactly("CALLBACK FAILED", "TERM OK");
    assertThat(job.output(AttemptLogs.Stream.STDERR)).contains("OSError: no room");
  }

  @Test
  void runsBashCommandsBesideTheJobBeforeSigterm() throws Exception {
    job.run(
        """
        . '%s'
        headgate_on_preempt 'echo "saving, attempt $HEADGATE_ATTEMPT"'
        headgate_on_preempt one two || echo refused
        headgate_progress 400/1000 'epoch 3' && headgate_checkpointed
        headgate_progress || echo refused, too
        (unset HEADGATE_PROGRESS HEADGATE_CHECKPOINTED; headgate_progress 1; headgate_checkpointed)
        echo running; exec sleep 1000
        """
            .formatted(SDK.resolve("bash/headgate.sh")));
    job.awaitOutput("running");

    JobProgress.Said said = ProgressFiles.read(job.attempt);
    assertThat(said.fraction()).hasValue(0.4);
    assertThat(said.message()).isEqualTo("epoch 3");
    assertThat(said.checkpoint()).isNotZero();
    assertThat(stop()).containsExactly("CALLBACK OK", "TERM OK");
    assertThat(job.output()).isEqualTo("refused\nrefused, too\nrunning\nsaving, attempt 2\n");
  }
}
