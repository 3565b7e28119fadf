package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.deploy.InstallationConfig;
import io.headgate.deploy.e2e.SpanReceiver.Seen;
import io.headgate.kit.telemetry.TelemetryConfig;
import io.headgate.sdk.client.HeadgateClient;
import io.headgate.sdk.client.JobClient;
import io.headgate.sdk.model.ClientConfig;
import io.headgate.sdk.model.Credentials;
import io.headgate.sdk.model.Job;
import io.headgate.sdk.model.JobFilter;
import io.headgate.sdk.model.JobSpec;
import io.headgate.sdk.model.JobState;
import io.headgate.sdk.model.ServerAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The traces of jobs, as a receiver of a whole installation sees them.
final class TracesIT {
  private static final String CONFIGURATION =
      """
      groups: [{name: team, users: [ada]}, {name: other, users: [bob]}]
      pools: [{name: local, type: static}]
      profiles: [{name: one, gpus: 1, pools: [local]}]
      policies:
        - name: team
          group: team
          reservation: 1
          limit: 1
          queues: [{name: one, profile: one}]
        - name: other
          group: other
          reservation: 0
          limit: 1
          queues: [{name: idle, profile: one}]
      """;

  private static TelemetryConfig exportingTo(URI receiver) {
    return new TelemetryConfig(
        Optional.of(receiver),
        TelemetryConfig.DEFAULTS.metricsHost(),
        Optional.empty(),
        TelemetryConfig.DEFAULTS.metricsAccess(),
        Optional.empty(),
        1.0,
        TelemetryConfig.DEFAULTS.exportInterval(),
        TelemetryConfig.DEFAULTS.logLevel(),
        TelemetryConfig.DEFAULTS.logFormat());
  }

  static TestInstallation headgate(Path directory, URI receiver) throws Exception {
    return TestInstallation.start(
            InstallationConfig.of(directory, 0).withTelemetry(exportingTo(receiver)))
        .withConfiguration(CONFIGURATION)
        .withNode("a-0", "local", "1xA100");
  }

  private static Set<String> names(SpanReceiver receiver, String traceId) {
    return receiver.spans().stream()
        .filter(span -> span.traceId().equals(traceId))
        .map(Seen::name)
        .collect(Collectors.toSet());
  }

  private static List<Seen> of(SpanReceiver receiver, String name, String job) {
    return receiver.named(name).stream()
        .filter(span -> job.equals(span.attributes().get("headgate.job")))
        .toList();
  }

  private static Seen only(SpanReceiver receiver, String name, String job) {
    await().atMost(TestInstallation.PATIENCE).until(() -> !of(receiver, name, job).isEmpty());
    List<Seen> found = of(receiver, name, job);
    assertThat(found).as("%s of %s", name, job).hasSize(1);
    return found.getFirst();
  }

  @Test
  void oneTraceGoesFromTheClientThroughAllServicesAndTheAgentIntoTheJob(@TempDir Path directory)
      throws Exception {
    try (SpanReceiver receiver = SpanReceiver.start(0);
        TestInstallation headgate = headgate(directory, receiver.uri())) {
      LiveCli cli =
          LiveCli.of(headgate)
              .inTerminal()
              .with(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.uri().toString()));
      LiveCli.Result submitted =
          cli.run("submit", "-q", "one", "--id", "traced", "--", "sh", "-c", "echo $TRACEPARENT");
      assertThat(submitted.exitCode()).as(submitted.err()).isZero();
      headgate.awaitState("traced", JobState.DONE);
      String traceparent = cli.run("logs", "traced").out().strip();

      Seen client =
          await()
              .atMost(TestInstallation.PATIENCE)
              .until(
                  () ->
                      receiver.named("job.submit").stream()
                          .filter(span -> span.service().equals("headgate-client"))
                          .findFirst()
                          .orElse(null),
                  span -> span != null);
      assertThat(client.parentId()).as("the client's span is the root").isEmpty();
      Set<String> expected =
          Set.of(
              "job.submit",
              "job.decide",
              "job.commit",
              "job.attempt",
              "agent.start",
              "agent.slices",
              "job.run",
              "job.end",
              "headgate.policy.v1.TokenService/ExchangeKey",
              "headgate.scheduler.v1.JobService/SubmitJob",
              "headgate.pool.v1.ProfileService/GetProfile");
      await()
          .atMost(TestInstallation.PATIENCE)
          .untilAsserted(() -> assertThat(names(receiver, client.traceId())).containsAll(expected));

      Seen attempt = only(receiver, "job.attempt", "traced");
      assertThat(traceparent)
          .as("what the job sees")
          .isEqualTo("00-" + client.traceId() + "-" + attempt.spanId() + "-01");
      assertThat(only(receiver, "agent.start", "traced").parentId()).isEqualTo(attempt.spanId());
      Seen run = only(receiver, "job.run", "traced");
      assertThat(run.attributes())
          .containsEntry("headgate.tenant", TestInstallation.TENANT)
          .containsEntry("headgate.queue", "one")
          .containsEntry("headgate.policy", "team")
          .containsEntry("headgate.profile", "one")
          .containsEntry("headgate.pool", "local")
          .containsEntry("headgate.node", "a-0")
          .containsEntry("headgate.attempt", "1")
          .containsEntry("headgate.outcome", "SUCCEEDED");
      assertThat(run.beginNanos()).isGreaterThanOrEqualTo(attempt.endNanos());
    }
  }

  @Test
  void preemptorAndVictimAndAttemptsAreLinked(@TempDir Path directory) throws Exception {
    try (SpanReceiver receiver = SpanReceiver.start(0);
        TestInstallation headgate = headgate(directory, receiver.uri())) {
      headgate.jobsOf("bob").submit(TestInstallation.endless("victim", "idle"));
      headgate.awaitState("victim", JobState.RUNNING);
      Job winner = headgate.jobsOf("ada").submit(JobSpec.of("one", List.of("true")));
      headgate.awaitState(winner.id(), JobState.DONE);
      headgate.await("victim", "running again", job -> job.attempt() == 2 && isRunning(job));

      Seen preempt = only(receiver, "job.preempt", "victim");
      Seen taken = only(receiver, "job.take", winner.id());
      assertThat(taken.links()).contains(preempt.link());
      assertThat(preempt.links()).contains(taken.traceId() + "-" + taken.parentId());
      assertThat(preempt.attributes())
          .containsEntry("headgate.rule", "P1")
          .containsEntry("headgate.by", winner.id());
      assertThat(of(receiver, "job.wait", winner.id()))
          .extracting(span -> span.attributes().get("headgate.reason"))
          .contains("WAITING_FOR_VICTIMS");
      Seen term = only(receiver, "job.term", "victim");
      assertThat(term.parentId()).isEqualTo(preempt.spanId());

      await()
          .atMost(TestInstallation.PATIENCE)
          .until(() -> of(receiver, "job.attempt", "victim").size() == 2);
      List<Seen> attempts = of(receiver, "job.attempt", "victim");
      assertThat(attempts.getLast().links()).containsExactly(attempts.getFirst().link());
    }
  }

  private static boolean isRunning(Job job) {
    return job.state() == JobState.RUNNING;
  }

  @Test
  void jobsOfOneCallHaveTracesOfTheirOwn(@TempDir Path directory) throws Exception {
    try (SpanReceiver receiver = SpanReceiver.start(0);
        TestInstallation headgate = headgate(directory, receiver.uri())) {
      LiveCli cli =
          LiveCli.of(headgate)
              .with(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.uri().toString()));
      assertThat(cli.run("submit", "-q", "one", "--count", "3", "--", "true").exitCode()).isZero();
      await()
          .atMost(TestInstallation.PATIENCE)
          .untilAsserted(() ->
              assertThat(receiver.named("job.submit"))
                  .as("of the client and of three jobs")
                  .hasSize(4));
      List<Seen> jobs =
          receiver.named("job.submit").stream()
              .filter(span -> !span.service().equals("headgate-client"))
              .toList();
      assertThat(jobs).hasSize(3).extracting(Seen::traceId).doesNotHaveDuplicates();
      Seen client =
          receiver.named("job.submit").stream()
              .filter(span -> span.service().equals("headgate-client"))
              .findFirst()
              .orElseThrow();
      assertThat(jobs)
          .allSatisfy(job ->
              assertThat(job.links())
                  .singleElement()
                  .asString()
                  .startsWith(client.traceId() + "-"));
    }
  }

  /// Three scheduler processes, of which the leader is killed three times under a stream of jobs.
  @Test
  void threeKillsOfTheLeaderLoseNoSpanAndDoubleNone(@TempDir Path directory) throws Exception {
    long seed = Long.getLong("headgate.seed", System.nanoTime());
    Path data = directory.resolve("data");
    try (SpanReceiver receiver = SpanReceiver.start(0);
        TestInstallation headgate =
            TestInstallation.start(
                    InstallationConfig.of(data, 0)
                        .withSchedulers(3)
                        .withTelemetry(exportingTo(receiver.uri()))
                        .withShared(List.of(directory.resolve("runs"))))
                .withConfiguration(CONFIGURATION)
                .withNode("a-0", "local", "1xA100");
        HeadgateClient client =
            HeadgateClient.connect(
                ClientConfig.of(
                        ServerAddress.parse(headgate.installation().uri().toString()),
                        new Credentials.Key(headgate.installation().adminKey().reveal()))
                    .withDeadline(Schedulers.PATIENCE)
                    .withPatience(Schedulers.PATIENCE))) {
      Schedulers schedulers =
          new Schedulers(
              headgate.installation(),
              data,
              RandomGeneratorFactory.of("L64X128MixRandom").create(seed),
              Optional.empty());
      JobClient jobs = client.jobs(TestInstallation.TENANT);
      JobStream stream = new JobStream(jobs, "one", directory.resolve("runs")).start();
      for (int kill = 0; kill < 3; kill++) {
        long epoch = schedulers.epoch();
        stream.runOne("before-" + kill);
        schedulers.suffer(Fault.KILL_LEADER);
        stream.runOne("after-" + kill);
        assertThat(schedulers.epoch()).as("seed %d", seed).isGreaterThan(epoch);
      }
      stream.check();

      for (Job job : jobs.listAll(JobFilter.ALL)) {
        tiles(receiver, jobs.get(job.id()));
      }
      Map<String, Set<Seen>> byId = new HashMap<>();
      receiver
          .spans()
          .forEach(span -> byId.computeIfAbsent(span.link(), _ -> new HashSet<>()).add(span));
      assertThat(byId.values())
          .as("spans that came again are the same, seed %d", seed)
          .allMatch(same -> same.size() == 1);
    }
  }

  /// The trace has one span for each part of the job's life, without gap and overlap.
  private static void tiles(SpanReceiver receiver, Job job) {
    Seen end = only(receiver, "job.end", job.id());
    Seen submit = only(receiver, "job.submit", job.id());
    int attempts = job.attempts().size();
    assertThat(of(receiver, "job.decide", job.id())).hasSize(attempts);
    assertThat(of(receiver, "job.commit", job.id())).hasSize(attempts);
    assertThat(of(receiver, "job.attempt", job.id())).hasSize(attempts);
    List<Seen> tiles =
        Stream.of("job.wait", "job.attempt", "job.run")
            .flatMap(name -> of(receiver, name, job.id()).stream())
            .sorted(Comparator.comparing(Seen::beginNanos).thenComparing(Seen::endNanos))
            .toList();
    long at = submit.beginNanos();
    for (Seen tile : tiles) {
      assertThat(tile.beginNanos()).as("%s of %s, after %s", tile, job.id(), tiles).isEqualTo(at);
      at = tile.endNanos();
    }
    assertThat(at).as("the end of %s", tiles).isEqualTo(end.beginNanos());
  }

  @Test
  void aReceiverThatIsDownDelaysSpansAndNoJob(@TempDir Path directory) throws Exception {
    int port;
    try (SpanReceiver gone = SpanReceiver.start(0)) {
      port = gone.port();
    }
    URI later = URI.create("http://127.0.0.1:" + port);
    try (TestInstallation headgate = headgate(directory, later)) {
      Job job = headgate.jobsOf("ada").submit(JobSpec.of("one", List.of("true")));
      headgate.awaitState(job.id(), JobState.DONE);
      try (SpanReceiver receiver = SpanReceiver.start(port)) {
        assertThat(only(receiver, "job.end", job.id()).attributes())
            .containsEntry("headgate.outcome", "DONE");
        only(receiver, "job.run", job.id());
      }
    }
  }
}
