package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.deploy.e2e.SpanReceiver.Seen;
import io.headgate.deploy.observe.Browser;
import io.headgate.deploy.observe.Programs;
import io.headgate.deploy.observe.Zipkin;
import io.headgate.kit.testing.Needed;
import io.headgate.sdk.model.JobState;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The page of a real Zipkin shows a job's trace from the client into the program.
@Tag("faults")
class ZipkinIT {
  private static final int WIDTH = 1600;
  private static final int HEIGHT = 2000;
  private static final double NANOS_PER_MICRO = 1000;

  /// The program writes a span of its own below the one that its environment names.
  private static final String PROGRAM =
      """
      IFS=- read -r _ trace parent _ <<< "$TRACEPARENT"
      now=$(date +%s%N)
      curl -sf -H 'content-type: application/json' "$0/v1/traces" -d '{"resourceSpans":[{"resource":
        {"attributes":[{"key":"service.name","value":{"stringValue":"train"}}]},"scopeSpans":[{"spans":
        [{"traceId":"'$trace'","spanId":"00000000000000aa","parentSpanId":"'$parent'","name":"train.epoch",
        "startTimeUnixNano":"'$now'","endTimeUnixNano":"'$((now + 50000000))'"}]}]}]}'
      """;

  private static final Set<String> SERVICES =
      Set.of(
          "headgate-client",
          "headgate-policy",
          "headgate-pool",
          "headgate-scheduler",
          "headgate-agent",
          "train");

  private static final Set<String> NAMES =
      Set.of(
          "job.submit",
          "job.decide",
          "job.commit",
          "job.attempt",
          "agent.start",
          "job.run",
          "job.end",
          "train.epoch");

  @Test
  void showsAJobFromTheClientIntoTheProgram(@TempDir Path directory) throws Exception {
    Optional<Browser> browser = Browser.find();
    Needed.CHROMIUM.demand(browser.isPresent());
    try (Zipkin zipkin = Programs.zipkin(directory);
        SpanReceiver receiver = SpanReceiver.start(0);
        TestInstallation headgate = TracesIT.headgate(directory.resolve("up"), receiver.uri())) {
      LiveCli.Result submitted =
          LiveCli.of(headgate)
              .inTerminal()
              .with(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.uri().toString()))
              .run(
                  "submit",
                  "-q",
                  "one",
                  "--id",
                  "traced",
                  "--",
                  "bash",
                  "-c",
                  PROGRAM,
                  receiver.uri().toString());
      assertThat(submitted.exitCode()).as(submitted.err()).isZero();
      headgate.awaitState("traced", JobState.DONE);
      await()
          .atMost(TestInstallation.PATIENCE)
          .untilAsserted(() -> {
            assertThat(of(receiver)).extracting(Seen::name).containsAll(NAMES);
            assertThat(of(receiver)).extracting(Seen::service).containsAll(SERVICES);
          });
      zipkin.take(
          of(receiver).stream().map(ZipkinIT::json).collect(Collectors.joining(",", "[", "]")));

      URI page = zipkin.page(of(receiver).getFirst().traceId());
      String shown = browser.get().content(page, WIDTH, HEIGHT);
      assertThat(shown).contains(NAMES).contains(SERVICES);
      Path pictures = Path.of(System.getProperty("headgate.pictures", directory.toString()));
      Path picture = browser.get().picture(page, WIDTH, HEIGHT, Files.createDirectories(pictures));
      assertThat(picture).isNotEmptyFile();
    }
  }

  /// The spans of the client's trace, each once.
  private static List<Seen> of(SpanReceiver receiver) {
    Optional<Seen> root =
        receiver.spans().stream()
            .filter(span -> span.service().equals("headgate-client"))
            .findFirst();
    return receiver.spans().stream()
        .filter(span -> root.filter(each -> each.traceId().equals(span.traceId())).isPresent())
        .distinct()
        .toList();
  }

  /// In Zipkin's form, which has microseconds and no duration of zero.
  private static String json(Seen span) {
    long begin = Math.round(span.beginNanos() / NANOS_PER_MICRO);
    long micros = Math.max(1, Math.round((span.endNanos() - span.beginNanos()) / NANOS_PER_MICRO));
    String parent = span.parentId().isEmpty() ? "" : "\"parentId\":\"" + span.parentId() + "\",";
    String tags =
        span.attributes().entrySet().stream()
            .map(tag -> quoted(tag.getKey()) + ":" + quoted(tag.getValue()))
            .collect(Collectors.joining(","));
    return """
    {"traceId":"%s","id":"%s",%s"name":%s,"timestamp":%d,"duration":%d,
     "localEndpoint":{"serviceName":%s},"tags":{%s}}\
    """
        .formatted(
            span.traceId(),
            span.spanId(),
            parent,
            quoted(span.name()),
            begin,
            micros,
            quoted(span.service()),
            tags);
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
