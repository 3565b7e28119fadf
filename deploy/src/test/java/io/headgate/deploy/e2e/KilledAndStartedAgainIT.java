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
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// `headgate up` as a process of its own, killed and stopped while jobs run. `deploy/headgate`
/// starts it again after its process has died.
@Execution(ExecutionMode.CONCURRENT)
@Order(1) // It takes longest.
class KilledAndStartedAgainIT {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Pattern SCRAPED = Pattern.compile("(http://\\S+/metrics) +all parts");
  private static final Pattern TOKEN = Pattern.compile("each scrape sends the token in (\\S+)");

  private static final Span CLIENT =
      Span.wrap(
          SpanContext.create(
              "0af7651916cd43dd8448eb211c80319c",
              "b7ad6b7169203331",
              TraceFlags.getSampled(),
              TraceState.getDefault()));

  @TempDir private Path directory;

  @Test
  void aKilledInstallationIsStartedAgainAndAdoptsWhatStillRuns() throws Exception {
    Process launcher = launch("--nodes", "sim:1x2xA100", "--share", signs().toString());
    BufferedReader screen = launcher.inputReader(StandardCharsets.UTF_8);
    try {
      UpProcess first = UpProcess.ready(launcher, screen);
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

      ProcessHandle killed = installation(launcher);
      assertThat(killed.destroyForcibly()).isTrue();
      UpProcess second = UpProcess.ready(launcher, screen);
      assertThat(second.screen()).contains("up ended with status 137; starting it again");
      ProcessHandle running = installation(launcher);
      assertThat(running.pid()).isNotEqualTo(killed.pid());

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
      ledgerCloses(second);
      scrape(second);

      launcher.toHandle().destroy(); // Process.destroy would also close the screen.
      String rest = screen.readAllAsString();
      assertThat(rest).as("it stops in order").contains("Stopped.");
      assertThat(first.screen() + second.screen() + rest)
          .as("a scrape costs the log no warning")
          .doesNotContain("opentelemetry", "prometheus", " i.o.");
      assertThat(launcher.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(running.isAlive()).isFalse();
    } finally {
      launcher.descendants().forEach(ProcessHandle::destroyForcibly);
      launcher.destroyForcibly();
    }
  }

  /// The rows of the killed installation and those of the next make one ledger.
  private void ledgerCloses(UpProcess up) throws IOException {
    String key = Files.readString(Path.of(data()).resolve("secrets/admin.key")).strip();
    LiveCli.Result check =
        LiveCli.of(URI.create(up.uri()), key)
            .run("usage", "--tenant", "default", "--since", "1d", "--check");

    assertThat(check.exitCode()).as(check.out() + check.err()).isZero();
    assertThat(check.lines())
        .as("each line after the period agrees")
        .hasSizeGreaterThan(2)
        .allMatch(line -> line.startsWith("ok ") || line.endsWith("GPU-hours"));
  }

  /// The address and the file of the token come from the screen.
  private static void scrape(UpProcess up) throws Exception {
    Matcher address = SCRAPED.matcher(up.screen());
    Matcher token = TOKEN.matcher(up.screen());
    assertThat(address.find() && token.find()).as(up.screen()).isTrue();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(address.group(1)))
            .header("authorization", "Bearer " + Files.readString(Path.of(token.group(1))).strip())
            .build();
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<String> page = http.send(request, HttpResponse.BodyHandlers.ofString());
      assertThat(page.statusCode()).isEqualTo(200);
      for (String schema : List.of("policy", "pool", "scheduler")) {
        assertThat(page.body().lines())
            .as("the connections of all services, %s", schema)
            .filteredOn(line -> line.startsWith("headgate_database_connections_active{"))
            .filteredOn(line -> line.contains("headgate_schema=\"" + schema + "\""))
            .hasSize(1);
      }
    }
  }

  @Test
  void aRefusalIsNotRepeated() throws Exception {
    Process launcher = launch("--nodes", "sim:0x0xNOTHING");
    String all = new String(launcher.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(launcher.waitFor()).isEqualTo(2);
    assertThat(all).contains("BAD_FLAG_VALUE").doesNotContain("starting it again");
  }

  /// The launcher, whose screen and log are one.
  private Process launch(String... more) throws IOException {
    List<String> command = new ArrayList<>(List.of("./headgate", "up", "--port", "0"));
    command.addAll(List.of("--data", data()));
    command.addAll(List.of(more));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("XDG_CONFIG_HOME", directory.resolve("config").toString());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    return builder.start();
  }

  /// The Java process of the launcher.
  private static ProcessHandle installation(Process launcher) {
    return launcher.children().filter(ProcessHandle::isAlive).findFirst().orElseThrow();
  }

  @Test
  void aStoppedInstallationSavesItsJobsAndResumesThem() throws Exception {
    // On an address of its own, as it could be another of the machine.
    UpProcess first = up("--ip", "127.0.0.2");
    assertThat(first.uri()).startsWith("http://127.0.0.2:");
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
      aSecondUpSaysThatOneIsRunningAndDisturbsNothing(first, client);
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
    UpProcess second = up("--ip", "127.0.0.2");

    try (HeadgateClient client = second.connect(Path.of(data()))) {
      await(client, "careful", JobState.DONE);
      assertThat(UpProcess.output(client, "careful")).isEqualTo("saved\n");
    }
    second.stop();
  }

  private void aSecondUpSaysThatOneIsRunningAndDisturbsNothing(
      UpProcess first, HeadgateClient client) throws Exception {
    Process second = command().start();
    String text = new String(second.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(second.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(second.exitValue()).as(text).isZero();
    assertThat(text)
        .startsWith("Headgate is already running on " + data() + ":\n")
        .contains("  API          " + first.uri() + " ");
    assertThat(client.jobs("default").listAll(JobFilter.ALL))
        .singleElement()
        .satisfies(job -> {
          assertThat(job.id()).isEqualTo("careful");
          assertThat(job.state()).isEqualTo(JobState.RUNNING);
          assertThat(job.attempt()).isEqualTo(1);
        });
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
