package io.headgate.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.kit.config.ByteSize;
import io.headgate.kit.config.Secret;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.telemetry.TelemetryConfig;
import io.headgate.kit.testing.LogReceiver;
import io.headgate.kit.testing.LogReceiver.Seen;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.agent.v1.AttemptReport.State;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The operator may have the output of jobs sent to a receiver of logs. No job waits for it.
class NodeAgentOutputTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String SPAN = "b7ad6b7169203331";

  /// The waits of an agent whose receiver refused for some seconds.
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir Path root;
  private final FakeControlPlane plane = new FakeControlPlane();
  private LogReceiver receiver;
  private Telemetry telemetry;
  private NodeAgent agent;

  @BeforeEach
  void listen() throws Exception {
    receiver = LogReceiver.start();
    telemetry = Telemetry.start(to(receiver.uri()), "headgate-agent", "1.2.3");
  }

  @AfterEach
  void stop() {
    agent.stopJobsAndClose(FakeControlPlane.PATIENCE);
    plane.close();
    telemetry.close();
    receiver.close();
  }

  private static TelemetryConfig to(URI receiver) {
    TelemetryConfig usual = TelemetryConfig.DEFAULTS;
    return new TelemetryConfig(
        Optional.of(receiver),
        usual.metricsHost(),
        Optional.of(0),
        TelemetryConfig.MetricsAccess.OPEN,
        Optional.empty(),
        1.0,
        usual.exportInterval(),
        usual.logLevel(),
        usual.logFormat());
  }

  private void start(AgentConfig.Logs logs) {
    agent =
        new NodeAgent(
            TestConfigs.with(
                AgentConfig.of(root.resolve("n1"), "n1", plane.uri())
                    .withJoinToken(Secret.of(FakeControlPlane.JOIN_TOKEN)),
                logs),
            telemetry,
            TimeSource.system());
    agent.start();
  }

  private static AgentConfig.Logs exported() {
    return new AgentConfig.Logs(ByteSize.ofMebibytes(1), 4, true);
  }

  private List<Seen> output() {
    return receiver.records().stream()
        .filter(each -> each.event().equals("headgate.job.output"))
        .toList();
  }

  private List<String> lines(String stream) {
    return output().stream()
        .filter(each -> stream.equals(each.attributes().get("log.iostream")))
        .map(Seen::text)
        .toList();
  }

  private void awaitLines(String stream, List<String> wanted) {
    await().atMost(PATIENCE).until(() -> lines(stream).size() >= wanted.size());
    assertThat(lines(stream)).isEqualTo(wanted);
  }

  private String scraped(String metric) throws Exception {
    URI from = telemetry.scrapeEndpoint().orElseThrow();
    try (var body = from.toURL().openStream()) {
      return new String(body.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.startsWith(metric + "{"))
          .map(line -> line.substring(line.lastIndexOf(' ') + 1))
          .findFirst()
          .orElse("");
    }
  }

  @Test
  void arrivesLineByLineWithTheTraceOfTheAttempt() {
    start(exported());
    plane.send(
        Orders.message(
            Orders.assign(
                    plane.leadership,
                    "train",
                    "echo step 1; echo oops $KEY >&2; echo step 2; printf 'no end'")
                .putEnvironment("KEY", "hunter2-hunter2")
                .addMaskedVariables("KEY")
                .setTraceparent("00-" + TRACE + "-" + SPAN + "-01")));
    plane.awaitEnd("train");

    awaitLines("stdout", List.of("step 1", "step 2", "no end"));
    awaitLines("stderr", List.of("oops ***************"));
    Seen first = output().getFirst();
    assertThat(first.service()).isEqualTo("headgate-jobs");
    assertThat(first.traceId()).isEqualTo(TRACE);
    assertThat(first.spanId()).isEqualTo(SPAN);
    assertThat(first.attributes())
        .containsAllEntriesOf(
            Map.of(
                "headgate.tenant", "acme",
                "headgate.job", "train",
                "headgate.attempt", "1",
                "headgate.worker", "0",
                "headgate.node", "n1",
                "headgate.output.offset", "0"))
        .containsKey("headgate.queue");
    assertThat(output()).extracting(Seen::observedNanos).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void arrivesWhileTheJobRuns() {
    start(exported());
    plane.send(
        Orders.message(Orders.assign(plane.leadership, "train", "echo begun; exec sleep 1000")));
    plane.awaitState("train", State.STATE_RUNNING);
    awaitLines("stdout", List.of("begun"));
  }

  /// A receiver that is away costs nothing while the files are kept, even if the agent ends first.
  @Test
  void waitsInItsFilesForAReceiverThatIsAwayAndForTheNextAgent() {
    receiver.refuse(true);
    start(exported());
    plane.send(Orders.message(Orders.assign(plane.leadership, "train", "seq 1 20000")));
    plane.awaitEnd("train");
    await().atMost(PATIENCE).until(() -> receiver.refused() > 0);
    agent.close();
    assertThat(output()).isEmpty();

    receiver.refuse(false);
    start(exported());
    awaitLines("stdout", IntStream.rangeClosed(1, 20_000).mapToObj(Integer::toString).toList());
    agent.close();

    start(exported());
    plane.send(Orders.message(Orders.assign(plane.leadership, "next", "echo once")));
    plane.awaitEnd("next");
    await().atMost(PATIENCE).until(() -> lines("stdout").contains("once"));
    assertThat(lines("stdout")).as("nothing is sent twice").hasSize(20_001);
  }

  /// It leaves no file behind that would keep the directory of such an attempt.
  @Test
  void isNothingOfAnAttemptThatWasRefused() {
    start(exported());
    plane.send(
        Orders.message(
            Orders.assign(plane.leadership, "refused", "echo nothing").setStorage("nowhere")));
    plane.awaitEnd("refused");
    plane.send(Orders.message(Orders.assign(plane.leadership, "train", "echo step 1")));
    awaitLines("stdout", List.of("step 1"));
    Path directory = root.resolve("n1/attempts/acme.refused.1.0");
    assertThat(directory).isDirectory();
    assertThat(directory.resolve("output-sent")).doesNotExist();
    plane.send(Orders.forget("refused"));
    await().atMost(PATIENCE).until(() -> !Files.exists(directory));
  }

  @Test
  void isCountedWhenItsFilesWentBeforeTheReceiverCame() throws Exception {
    receiver.refuse(true);
    start(new AgentConfig.Logs(new ByteSize(4096), 2, true));
    plane.send(Orders.message(Orders.assign(plane.leadership, "train", "seq 10001 20000")));
    plane.awaitEnd("train");
    await().atMost(PATIENCE).until(() -> receiver.refused() > 0);

    receiver.refuse(false);
    await().atMost(PATIENCE).until(() -> lines("stdout").contains("20000"));
    long dropped = Long.parseLong(output().getFirst().attributes().get("headgate.output.dropped"));
    assertThat(dropped).isBetween(60_000L - 3 * 4096, 60_000L - 4096);
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> {
          double lost = Double.parseDouble(scraped("headgate_job_output_dropped_bytes_total"));
          double sent = Double.parseDouble(scraped("headgate_job_output_sent_bytes_total"));
          assertThat(lost).isEqualTo(dropped);
          assertThat(lost + sent).isEqualTo(60_000);
        });
  }

  @Test
  void staysOnItsMachineByDefault() throws Exception {
    start(AgentConfig.Logs.DEFAULTS);
    plane.send(Orders.message(Orders.assign(plane.leadership, "train", "echo private")));
    plane.awaitEnd("train");
    agent.stopJobsAndClose(FakeControlPlane.PATIENCE);
    assertThat(output()).isEmpty();
    assertThat(scraped("headgate_job_output_sent_bytes_total")).isEmpty();
    assertThat(root.resolve("n1/attempts/acme.train.1.0/output-sent")).doesNotExist();
  }

  @Test
  void needsAReceiver() throws Exception {
    start(AgentConfig.Logs.DEFAULTS);
    Path file =
        Files.writeString(
            root.resolve("agent.yaml"),
            "agent: {data: %s, logs: {export: true}}".formatted(root.resolve("n2")));
    assertThatThrownBy(
            () -> AgentMain.configuration(new String[] {"--config", file.toString()}, Map.of()))
        .hasMessageContaining("logs.export")
        .hasMessageContaining("set telemetry.otlp-endpoint");
  }
}
