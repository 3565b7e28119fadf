package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobFilter;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobSpec.AbortCallback;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.Submission;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Scope;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// `headgate up` as a process of its own, killed and stopped while jobs run.
@Execution(ExecutionMode.CONCURRENT)
@Order(1) // It takes longest.
class KilledAndStartedAgainIT {
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private static final Span CLIENT =
      Span.wrap(
          SpanContext.create(
              "0af7651916cd43dd8448eb211c80319c",
              "b7ad6b7169203331",
              TraceFlags.getSampled(),
              TraceState.getDefault()));

  @TempDir private Path directory;

  @Test
  void aKilledInstallationAdoptsWhatStillRuns() throws Exception {
    UpProcess first = up();
    Path done = signs().resolve("go");
    try (HeadgateClient client = first.connect(Path.of(data()));
        Scope _ = CLIENT.makeCurrent()) {
      // Runs until it is told to end, and tells how often it was started, and in whose trace.
      client
          .jobs("default")
          .submit(
              new Submission(
                  JobSpec.of(
                      "one",
                      List.of(
                          "sh",
                          "-c",
                          "echo started $TRACEPARENT; while ! [ -e "
                              + done
                              + " ]; do sleep 0.05; done; exit 7")),
                  "survivor",
                  null));
      await(client, "survivor", JobState.RUNNING);
    }

    first.process().destroyForcibly().waitFor();
    UpProcess second = up();

    try (HeadgateClient client = second.connect(Path.of(data()))) {
      Job adopted = await(client, "survivor", JobState.RUNNING);
      assertThat(adopted.attempt()).isEqualTo(1);
      Files.createFile(done);
      Job ended = await(client, "survivor", JobState.FAILED);
      assertThat(ended.exitCode()).isEqualTo(7);
      assertThat(ended.attempt()).isEqualTo(1);
      assertThat(UpProcess.output(client, "survivor"))
          .as("started once, in the trace of who submitted it")
          .matches("started 00-" + CLIENT.getSpanContext().getTraceId() + "-[0-9a-f]{16}-01\n");
    }
    second.stop();
  }

  @Test
  void aStoppedInstallationSavesItsJobsAndResumesThem() throws Exception {
    UpProcess first = up();
    try (HeadgateClient client = first.connect(Path.of(data()))) {
      client
          .jobs("default")
          .submit(
              new Submission(
                  JobSpec.of(
                          "one",
                          List.of(
                              "sh",
                              "-c",
                              "if [ \"$HEADGATE_RESUME\" = 1 ]; then cat $HEADGATE_CHECKPOINT_DIR/state;"
                                  + " else sleep 600; fi"))
                      .withAbortCallback(
                          new AbortCallback(
                              List.of("sh", "-c", "echo saved > $HEADGATE_CHECKPOINT_DIR/state"),
                              null)),
                  "careful",
                  null));
      await(client, "careful", JobState.RUNNING);
    }

    assertThat(processesOfTheInstallation())
        .as("PostgreSQL, a supervisor and a job are there to be found")
        .anyMatch(process -> words(process).contains("postgres"))
        .anyMatch(process -> words(process).contains("headgate-supervisor"))
        .anyMatch(process -> words(process).contains("sleep 600"));

    first.stop();
    // PostgreSQL says that it has stopped shortly before its process ends.
    for (ProcessHandle ending : processesOfTheInstallation()) {
      assertThat(ending.onExit()).as("%s ends", words(ending)).succeedsWithin(PATIENCE);
    }
    assertThat(processesOfTheInstallation()).as("what is left behind").isEmpty();
    UpProcess second = up();

    try (HeadgateClient client = second.connect(Path.of(data()))) {
      await(client, "careful", JobState.DONE);
      assertThat(UpProcess.output(client, "careful")).isEqualTo("saved\n");
    }
    second.stop();
  }

  @Test
  void aSecondUpSaysThatOneIsRunningAndDisturbsNothing() throws Exception {
    // On an address of its own, as it could be another of the machine.
    UpProcess first = up("--ip", "127.0.0.2");
    assertThat(first.uri()).startsWith("http://127.0.0.2:");
    try (HeadgateClient client = first.connect(Path.of(data()))) {
      Process second = command().start();
      String text = new String(second.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

      assertThat(second.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(second.exitValue()).as(text).isZero();
      assertThat(text)
          .startsWith("Headgate is already running on " + data() + ":\n")
          .contains("  API          " + first.uri() + " ");
      assertThat(client.jobs("default").listAll(JobFilter.ALL)).isEmpty();
    }
    first.stop();
  }

  private ProcessBuilder command() throws IOException {
    return UpProcess.command(
        directory.resolve("config"),
        List.of(),
        "up",
        "--data",
        data(),
        "--nodes",
        "sim:1x2xA100",
        "--share",
        signs().toString());
  }

  private UpProcess up(String... flags) throws Exception {
    ProcessBuilder builder = command();
    builder.command().addAll(List.of(flags));
    return UpProcess.start(builder);
  }

  /// Where a test and its jobs leave each other signs.
  private Path signs() throws IOException {
    return Files.createDirectories(directory.resolve("signs"));
  }

  private static Job await(HeadgateClient client, String id, JobState state) {
    Optional<Job> found = client.jobs("default").await(id, job -> job.state() == state, PATIENCE);
    assertThat(found)
        .as(() -> id + " is to become " + state + "; it is " + client.jobs("default").get(id))
        .isPresent();
    return found.orElseThrow();
  }

  /// Everything that lives and has to do with the data directory: by its words, its environment or
  /// where it stands.
  private List<ProcessHandle> processesOfTheInstallation() {
    return ProcessHandle.allProcesses()
        .filter(process -> process.pid() != ProcessHandle.current().pid())
        .filter(process -> (words(process) + surroundings(process)).contains(data()))
        .toList();
  }

  private String data() {
    return directory.resolve("data").toString();
  }

  private static String words(ProcessHandle process) {
    return proc(process, "cmdline").replace('\0', ' ');
  }

  private static String surroundings(ProcessHandle process) {
    Path cwd = Path.of("/proc", Long.toString(process.pid()), "cwd");
    try {
      return proc(process, "environ") + Files.readSymbolicLink(cwd);
    } catch (IOException e) {
      return ""; // The process has ended, or belongs to another user.
    }
  }

  private static String proc(ProcessHandle process, String file) {
    try {
      return Files.readString(
          Path.of("/proc", Long.toString(process.pid()), file), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return ""; // The process has ended, or belongs to another user.
    }
  }
}
