package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.deploy.InstallationConfig;
import io.headgate.kit.telemetry.TelemetryConfig;
import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.client.JobClient;
import io.headgate.sdk.model.ClientConfig;
import io.headgate.sdk.model.Credentials;
import io.headgate.sdk.model.ServerAddress;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Three scheduler processes, two agents and a stream of jobs, while the leader dies. A third
/// machine is gone for good: only new leaders wait for it. `FaultSequenceIT` has the other faults.
@Order(1) // It takes longest.
class SchedulerFaultsIT {
  private static final Logger LOG = LoggerFactory.getLogger(SchedulerFaultsIT.class);

  /// Limit of the one policy: fewer GPUs than exist.
  private static final int LIMIT = 3;

  private static final Pattern LEADS =
      Pattern.compile("(scheduler-[123]) \\(process [0-9]+\\) leads");

  private static final String OF_DECISIONS = "headgate_policy_gpu_limit";
  private static final String OF_A_SCHEDULER = "headgate_memory_brake";
  private static final String ASSIGNED = "the first assignment was sent";
  private static final String REPORTED = "nodes reported their jobs";

  @TempDir private Path directory;
  private final long seed = Long.getLong("headgate.seed", System.nanoTime());
  private final RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
  private TestInstallation headgate;
  private Schedulers schedulers;
  private HeadgateClient client;
  private JobStream stream;
  private Pace pace;

  @BeforeEach
  void start() throws Exception {
    Path data = directory.resolve("data");
    headgate =
        TestInstallation.start(
                InstallationConfig.of(data, 0)
                    .withSchedulers(3)
                    .withTelemetry(metrics(data))
                    .withShared(List.of(directory.resolve("runs"))))
            .withConfiguration(
                """
                groups: [{name: team, users: [ada]}]
                pools: [{name: local, type: static}, {name: spare, type: static}]
                profiles: [{name: one, gpus: 1, pools: [local]}]
                policies:
                  - name: team
                    group: team
                    reservation: 3
                    limit: 3
                    queues: [{name: one, profile: one}]
                """)
            .withNode("a-0", "local", "2xA100")
            .withNode("a-1", "local", "2xA100");
    AgentProcesses gone =
        new AgentProcesses(
            headgate.installation().uri(),
            headgate.installation().schedulerUris(),
            Files.createDirectories(directory.resolve("agents")),
            List.of(),
            _ -> Map.of());
    gone.add(headgate.operator(), "gone", "spare", "1xA100");
    gone.end();
    assertThat(headgate.told("schedulers"))
        .as("who wants to kill the one that leads is told which process it is")
        .containsPattern(LEADS);
    schedulers = new Schedulers(headgate.installation(), data, random, Optional.empty());
    // A slow machine may need long to start a process again; calls must not give up meanwhile.
    client =
        HeadgateClient.connect(
            ClientConfig.of(
                    ServerAddress.parse(headgate.installation().uri().toString()),
                    new Credentials.Key(headgate.installation().adminKey().reveal()))
                .withDeadline(Schedulers.PATIENCE)
                .withPatience(Schedulers.PATIENCE));
    JobClient jobs = client.jobs(TestInstallation.TENANT);
    stream = new JobStream(jobs, "one", directory.resolve("runs")).start();
  }

  /// As `up` has it.
  private static TelemetryConfig metrics(Path data) {
    return new TelemetryConfig(
        Optional.empty(),
        "127.0.0.1",
        Optional.of(0),
        TelemetryConfig.MetricsAccess.TOKEN,
        Optional.of(data.resolve("secrets/metrics.token")),
        1.0,
        TelemetryConfig.DEFAULTS.exportInterval(),
        TelemetryConfig.DEFAULTS.logLevel(),
        TelemetryConfig.LogFormat.TEXT);
  }

  @AfterEach
  void stop() throws Exception {
    stream.end();
    client.close();
    headgate.close();
  }

  private void suffer(Fault fault) throws Exception {
    pace.measure();
    long epoch = schedulers.epoch();
    Schedulers.Struck struck = schedulers.suffer(fault);
    String id = fault.name().toLowerCase(Locale.ROOT).replace('_', '-') + "-" + stream.size();
    long beganMs = stream.runOne(id);
    if (fault.leading() == Fault.Leading.CHANGES) {
      schedulers.awaitLaterThan(epoch);
    }
    long then = schedulers.epoch();
    LOG.info(
        "{}: epoch {} -> {}, a job submitted then began {} ms after it struck",
        fault,
        epoch,
        then,
        beganMs - struck.atMs());
    pace.check(fault, fault.promise(), beganMs - struck.countsFromMs(fault));
    assertThat(then).as("epochs only rise").isGreaterThanOrEqualTo(epoch);
  }

  @Test
  void losesNothingAndRunsNothingTwiceWhenTheLeaderDies() throws Exception {
    pace = Pace.of(stream);
    checkThatTheNamedLeaderHasTheSeriesOfTheDecisions();
    suffer(Fault.KILL_LEADER);
    stream.check();
    assertThat(headgate.used("team")).isEqualTo("0");
    DatabaseCheck.check(directory.resolve("data"), headgate.installation().postgresPort(), LIMIT);
    ProcessLogs.checkErrors(directory.resolve("data/schedulers"));
    await()
        .atMost(Schedulers.PATIENCE)
        .until(() -> leadersThatAssignedBeforeTheyGaveUpTheMachineThatIsGone() > 0);
    pace.demandShown();
  }

  /// The screen names the leader, and a scrape address for each process.
  private void checkThatTheNamedLeaderHasTheSeriesOfTheDecisions() throws Exception {
    Matcher named = LEADS.matcher(headgate.told("schedulers"));
    assertThat(named.find()).isTrue();
    Map<String, URI> addresses = headgate.installation().metricsUris();
    assertThat(addresses)
        .containsOnlyKeys("all but the schedulers", "scheduler-1", "scheduler-2", "scheduler-3");
    Map<String, List<String>> series = new TreeMap<>();
    for (Map.Entry<String, URI> address : addresses.entrySet()) {
      series.put(address.getKey(), scrape(address.getValue()));
    }
    assertThat(series.entrySet().stream().filter(it -> it.getValue().contains(OF_DECISIONS)))
        .extracting(Map.Entry::getKey)
        .as("%s, and what has the series", named.group())
        .containsExactly(named.group(1));
    assertThat(series.entrySet().stream().filter(it -> it.getValue().contains(OF_A_SCHEDULER)))
        .extracting(Map.Entry::getKey)
        .contains("scheduler-1", "scheduler-2", "scheduler-3");
  }

  /// Names of the series behind an address.
  private List<String> scrape(URI address) throws Exception {
    String token = Files.readString(directory.resolve("data/secrets/metrics.token")).strip();
    HttpRequest request =
        HttpRequest.newBuilder(address).header("authorization", "Bearer " + token).build();
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(request, HttpResponse.BodyHandlers.ofString())
          .body()
          .lines()
          .filter(line -> line.startsWith("headgate_"))
          .map(line -> line.split("[{ ]", 2)[0])
          .distinct()
          .toList();
    }
  }

  /// Each leader waits ten seconds for that machine and then logs that it did not report. Before
  /// this line, the leader must have assigned a job to another machine.
  private int leadersThatAssignedBeforeTheyGaveUpTheMachineThatIsGone() throws IOException {
    int leaders = 0;
    try (Stream<Path> logs = Files.list(directory.resolve("data/schedulers"))) {
      for (Path log : logs.toList()) {
        boolean assigned = false;
        for (String line : Files.readAllLines(log)) {
          assigned |= line.contains(ASSIGNED);
          if (line.contains("2 of 3 " + REPORTED)) {
            assertThat(assigned).as("assigned before: %s", line).isTrue();
            leaders++;
          }
          // The next leadership of the same process.
          assigned &= !line.contains(" leads, epoch ");
        }
      }
    }
    return leaders;
  }
}
