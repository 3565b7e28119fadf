package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.agent.NodeAgent;
import io.headgate.deploy.InstallationConfig;
import io.headgate.deploy.TemporaryUser;
import io.headgate.deploy.node.NodePlan;
import io.headgate.deploy.observe.Programs;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.telemetry.TelemetryConfig;
import io.headgate.sdk.client.JobClient;
import io.headgate.sdk.config.ConfigurationReader;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.Submission;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGeneratorFactory;

/// An installation to which much happens, so that most metrics have values: two scheduler
/// processes, two tenants, simulated GPUs with a price, and a machine with fake GPUs.
///
/// [#play] takes about a minute. It ends with jobs that run and jobs that wait, and nothing changes
/// any more until [#close].
final class BusyInstallation implements AutoCloseable {
  static final String OTHER = "globex";
  private static final int FAKE_GPUS = 2;
  private static final int SHORT_JOBS = 6;
  private static final int SCHEDULERS = 2;

  /// Longest run of jobs that end soon: without it, no start behind them is expected.
  private static final Duration ONE_RUN = Duration.ofSeconds(10);

  private static final Duration STOP = Duration.ofMinutes(1);

  /// GPUs of the profile `eight` until its job is submitted: no job is accepted that never fits.
  private static final String SMALL = "eight, gpus: 2,";

  private static final String LARGE = "eight, gpus: 8,";

  private static final String CONFIGURATION =
      """
      groups:
        - {name: lab, users: [ada]}
        - {name: owners, users: [alan]}
        - {name: dreamers, users: [mary]}
      pools:
        - {name: sim, type: static, pricePerGpuHour: 360, currency: EUR}
        - {name: h100, type: static, pricePerGpuHour: 720, currency: EUR}
      profiles:
        - {name: one, gpus: 1, pools: [sim]}
        - {name: two, gpus: 2, pools: [sim]}
        - {name: four, gpus: 4, pools: [sim], holdAfter: 1s}
        - {name: eight, gpus: 8, pools: [sim]}
        - {name: real, gpus: 1, pools: [h100]}
        - {name: third, gpus: 1/3, isolation: reactive, pools: [h100]}
      policies:
        - name: lab
          group: lab
          limit: 8
          budget: {cost: 1000000, currency: EUR, per: year}
          queues: [{name: lab-1, profile: one}, {name: lab-4, profile: four}]
        - name: owners
          group: owners
          reservation: 4
          limit: 6
          queues:
            - {name: owners-2, profile: two}
            - {name: real, profile: real}
            - {name: third, profile: third}
        - name: dreamers
          group: dreamers
          limit: 8
          queues: [{name: eight, profile: eight}]
      """;

  private static final String OTHERS_CONFIGURATION =
      """
      apiVersion: headgate/v1
      kind: Configuration
      tenant: globex
      groups: [{name: team, users: [bob]}]
      pools: [{name: own, type: static}]
      profiles:
        - {name: half, gpus: 1/2, pools: [own]}
        - {name: shared, gpus: 1, pools: [platform/a100]}
      policies:
        - name: team
          group: team
          reservation: 1
          limit: 2
          queues: [{name: half, profile: half}, {name: shared, profile: shared}]
      """;

  private static final String PLATFORM =
      """
      apiVersion: headgate/v1
      kind: Platform
      pools: [{name: a100, type: static}]
      tenants: [{name: globex, pools: [a100], reservation: 1, limit: 1}]
      """;

  private final Path directory;
  private final SpanReceiver receiver;
  private final TestInstallation headgate;
  private final FakeGpuMachine machine;
  private final Telemetry agentTelemetry;
  private final NodeAgent agent;
  private int rounds;

  private BusyInstallation(
      Path directory,
      SpanReceiver receiver,
      TestInstallation headgate,
      FakeGpuMachine machine,
      Telemetry agentTelemetry,
      NodeAgent agent) {
    this.directory = directory;
    this.receiver = receiver;
    this.headgate = headgate;
    this.machine = machine;
    this.agentTelemetry = agentTelemetry;
    this.agent = agent;
  }

  /// Starts it; nothing has happened yet.
  ///
  /// @param receiver of OTLP
  static BusyInstallation start(Path directory, SpanReceiver receiver) throws Exception {
    Path data = Files.createDirectories(directory.resolve("data"));
    TelemetryConfig telemetry = telemetry(data, receiver.uri());
    TestInstallation headgate =
        TestInstallation.start(
                InstallationConfig.of(data, 0)
                    .withSchedulers(SCHEDULERS)
                    .withTelemetry(telemetry)
                    .withSettings(settings -> {
                      settings.put("HEADGATE_TELEMETRY_EXPORT_INTERVAL", "1s");
                      settings.put("HEADGATE_TELEMETRY_OTLP_HISTOGRAMS", "buckets");
                      return settings;
                    }))
            .withConfiguration(CONFIGURATION.replace(LARGE, SMALL))
            .withNode("a-0", "sim", "4xA100");
    headgate.installation().ensureTenant(OTHER);
    Path platform = Files.writeString(directory.resolve("platform.yaml"), PLATFORM);
    LiveCli.Result applied = LiveCli.of(headgate).run("apply", "-f", platform.toString(), "--yes");
    assertThat(applied.exitCode()).as(applied.err()).isZero();
    headgate.installation().addNode("platform", new NodePlan("s-0", "a100", "1xA100"));
    headgate
        .operator()
        .configuration(OTHER)
        .apply(ConfigurationReader.read("other.yaml", OTHERS_CONFIGURATION).configuration());
    headgate.installation().addNode(OTHER, new NodePlan("o-0", "own", "1xA100"));
    FakeGpuMachine machine =
        FakeGpuMachine.with(Files.createDirectories(directory.resolve("machine")), FAKE_GPUS);
    Telemetry agentTelemetry = Telemetry.start(telemetry, "headgate-agent", "test");
    NodeAgent agent = machine.agent(headgate, "r-0", "h100", agentTelemetry);
    AgentProcesses.awaitConnected(headgate.operator(), "r-0");
    return new BusyInstallation(directory, receiver, headgate, machine, agentTelemetry, agent);
  }

  private static TelemetryConfig telemetry(Path data, URI receiver) {
    TelemetryConfig defaults = TelemetryConfig.DEFAULTS;
    return new TelemetryConfig(
        Optional.of(receiver),
        defaults.metricsHost(),
        Optional.of(0),
        TelemetryConfig.MetricsAccess.TOKEN,
        Optional.of(token(data)),
        1.0,
        Duration.ofSeconds(1),
        TelemetryConfig.LogLevel.WARN,
        TelemetryConfig.LogFormat.TEXT,
        TelemetryConfig.OtlpHistograms.BUCKETS);
  }

  private static Path token(Path data) {
    return data.resolve("secrets").resolve("metrics.token");
  }

  TestInstallation headgate() {
    return headgate;
  }

  /// Its processes, as Prometheus scrapes them.
  Programs.Scrape scrape() {
    List<URI> addresses = new ArrayList<>(headgate.installation().metricsUris().values());
    addresses.add(agentTelemetry.scrapeEndpoint().orElseThrow());
    return new Programs.Scrape(addresses, token(directory.resolve("data")));
  }

  /// All that happens.
  ///
  /// @param scrape waits until all metrics of now were scraped. Rates see nothing of a series that
  ///   begins with its last value.
  void play(Runnable scrape) throws Exception {
    headgate.operator().jobs(OTHER).submit(TestInstallation.endless("own", "half"));
    headgate.operator().jobs(OTHER).submit(TestInstallation.endless("shared", "shared"));
    preempt("echo saved", scrape);
    failOver();
    holdAndStart("early", false);
    receiver.refuse(true);
    preempt("sleep 60", scrape);
    await().atMost(TestInstallation.PATIENCE).until(receiver::hasRefusedSpans);
    receiver.refuse(false);
    holdAndStart("late", true);
    fail();
    sicken();
    exceed();
    refuse();
    settle();
  }

  private JobClient jobs() {
    return headgate.jobs();
  }

  private void submit(String id, JobSpec spec) {
    jobs().submit(new Submission(spec, id, null));
  }

  private static JobSpec script(String queue, String script) {
    return JobSpec.of(queue, List.of("sh", "-c", script));
  }

  private static int gpu(Job job) {
    return job.attempts().getFirst().placements().getFirst().slices().getFirst().deviceIndex();
  }

  private void cancel(String... ids) {
    for (String id : ids) {
      jobs().cancel(id);
      headgate.awaitState(id, JobState.CANCELLED);
    }
  }

  /// Four jobs above their reservation; two owners take all of their GPUs, one after the other.
  ///
  /// @param callback of the jobs, which may take a second
  private void preempt(String callback, Runnable scrape) {
    int round = rounds++;
    for (int i = 0; i < 4; i++) {
      submit(
          name(round, i),
          JobSpec.of("lab-1", List.of("sleep", "3600"))
              .withAbortCallback(
                  new JobSpec.AbortCallback(List.of("sh", "-c", callback), Duration.ofSeconds(1))));
      headgate.awaitState(name(round, i), JobState.RUNNING);
    }
    for (String owner : List.of("owner-" + round, "next-owner-" + round)) {
      submit(owner, JobSpec.of("owners-2", List.of("sleep", "3600")));
      headgate.awaitState(owner, JobState.RUNNING);
      scrape.run();
    }
    cancel("owner-" + round, "next-owner-" + round);
    cancel(name(round, 0), name(round, 1), name(round, 2), name(round, 3));
  }

  private static String name(int round, int number) {
    return "lab-%d-%d".formatted(round, number);
  }

  /// A large job waits until the time of the small ones is over; the freed GPUs are held for it.
  ///
  /// @param isLate the last of the small ones is slow to stop; otherwise it ends before its time
  private void holdAndStart(String round, boolean isLate) {
    String last = "last-" + round;
    String large = "large-" + round;
    submit("first-" + round, script("lab-1", "sleep 1").withMaxRuntime(ONE_RUN));
    submit(
        last,
        script("lab-1", isLate ? "trap '' TERM; sleep 60" : "sleep 60")
            .withMaxRuntime(Duration.ofSeconds(isLate ? 20 : 60))
            .withTerminationGrace(Duration.ofSeconds(2)));
    headgate.awaitState(last, JobState.RUNNING);
    submit(large, JobSpec.of("lab-4", List.of("true")).withPriority(10));
    for (int i = 0; i < SHORT_JOBS; i++) {
      submit(
          "short-%s-%d".formatted(round, i),
          JobSpec.of("lab-1", List.of("true")).withMaxRuntime(ONE_RUN));
    }
    headgate.await(large, "told when it starts", job -> job.expectedStartTime() != null);
    if (!isLate) {
      jobs().cancel(last);
    }
    headgate.awaitState(large, JobState.DONE);
  }

  private void fail() {
    submit("broken", script("lab-1", "exit 3"));
    headgate.awaitState("broken", JobState.FAILED);
  }

  /// A GPU falls off the bus, and its job runs on the other. An error is reported, and memory
  /// errors are corrected.
  private void sicken() throws Exception {
    submit("train", JobSpec.of("real", List.of("sleep", "3600")));
    Job train = headgate.awaitState("train", JobState.RUNNING);
    int sick = gpu(train);
    machine.lose(sick);
    headgate.await(
        "train", "run again", job -> job.attempt() == 2 && job.state() == JobState.RUNNING);
    machine.report(1 - sick, 31);
    machine.readings(1 - sick, 87, 7);
    machine.giveBack(sick);
    cancel("train");
  }

  /// A job uses more memory than its part of a GPU has.
  private void exceed() throws Exception {
    submit("greedy", JobSpec.of("third", List.of("sleep", "3600")));
    Job greedy = headgate.awaitState("greedy", JobState.RUNNING);
    int gpu = gpu(greedy);
    long process = machine.process("greedy");
    machine.programs(gpu, process, 30);
    await().atMost(TestInstallation.PATIENCE).until(() -> ProcessHandle.of(process).isEmpty());
    machine.programs(gpu, process, 0);
    headgate.awaitState("greedy", JobState.FAILED);
  }

  /// A user tries acts of an admin.
  private void refuse() {
    try (TemporaryUser ada =
        TemporaryUser.enter(
            headgate.installation(), headgate.operator(), TestInstallation.TENANT, "ada")) {
      assertThatThrownBy(() -> ada.client().createJoinToken(TestInstallation.TENANT, "sim", 1))
          .isInstanceOf(HeadgateException.class);
      assertThatThrownBy(() -> ada.client().createKey("tenants/acme/users/alan", "x", STOP))
          .isInstanceOf(HeadgateException.class);
    }
  }

  private void failOver() throws Exception {
    Schedulers schedulers =
        new Schedulers(
            headgate.installation(),
            directory.resolve("data"),
            RandomGeneratorFactory.of("L64X128MixRandom").create(1),
            Optional.empty());
    long epoch = schedulers.epoch();
    schedulers.suffer(Fault.KILL_LEADER);
    schedulers.awaitLaterThan(epoch);
  }

  /// Two jobs of the lab and one of the owners run, one on a fake GPU; four wait, one of them in
  /// vain.
  private void settle() throws Exception {
    for (String id : List.of("runs-0", "runs-1")) {
      jobs().submit(TestInstallation.endless(id, "lab-1"));
      headgate.awaitState(id, JobState.RUNNING);
    }
    jobs().submit(TestInstallation.endless("owns", "owners-2"));
    headgate.awaitState("owns", JobState.RUNNING);
    jobs().submit(TestInstallation.endless("real", "real"));
    Job real = headgate.awaitState("real", JobState.RUNNING);
    machine.programs(gpu(real), machine.process("real"), 40);
    machine.readings(gpu(real), 2, 7);
    for (String id : List.of("waits-0", "waits-1")) {
      jobs().submit(TestInstallation.endless(id, "lab-1"));
      headgate.awaitState(id, JobState.WAITING);
    }
    jobs().submit(TestInstallation.endless("waits-2", "owners-2"));
    headgate.awaitState("waits-2", JobState.WAITING);
    jobs().submit(TestInstallation.endless("waits-3", "eight"));
    var _ = headgate.withConfiguration(CONFIGURATION);
    headgate.await(
        "waits-3",
        "waiting in vain",
        job -> job.reason() != null && job.reason().code().equals("NEVER_FITS"));
  }

  @Override
  public void close() throws IOException {
    // While the driver reports memory of a job that has ended, the agent keeps its slice.
    for (int gpu = 0; gpu < FAKE_GPUS; gpu++) {
      machine.programs(gpu, 0, 0);
    }
    agent.stopJobsAndClose(STOP);
    agentTelemetry.close();
    headgate.close();
  }
}
