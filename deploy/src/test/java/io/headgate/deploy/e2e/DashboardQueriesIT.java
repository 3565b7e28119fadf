package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.headgate.deploy.metrics.AllMetrics;
import io.headgate.deploy.observe.BoardPage;
import io.headgate.deploy.observe.Json;
import io.headgate.deploy.observe.MetricStore;
import io.headgate.deploy.observe.MetricStore.Series;
import io.headgate.deploy.observe.PanelCheck;
import io.headgate.deploy.observe.Programs;
import io.headgate.kit.telemetry.MetricDefinition;
import io.headgate.kit.telemetry.MetricDefinition.Kind;
import io.headgate.type.GpuQuantity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A real Prometheus scrapes a busy installation: every panel and every alert has data, and the
/// data agrees with the commands.
@Tag("faults")
class DashboardQueriesIT {
  static final Path GRAFANA = Path.of(System.getProperty("headgate.grafana", "grafana"));
  static final Duration RATES = Duration.ofSeconds(10);

  private static final double MILLIS = 1000;

  /// A scrape takes some time after it was stamped.
  private static final double SCRAPE_SECONDS = 0.3;

  /// Words in queries without data, each with the condition that this installation is not brought
  /// into.
  private static final Map<String, String> CONDITIONAL =
      Map.of(
          "headgate_series_left_out", "2,000 series of one gauge",
          "headgate_job_output_sent_bytes_total", "output of jobs that is exported",
          "headgate_job_output_dropped_bytes_total", "output of jobs that is exported",
          "offset 7d", "data of a week");

  @TempDir private static Path directory;
  private static SpanReceiver receiver;
  private static BusyInstallation busy;
  private static MetricStore store;
  private static Instant began;
  private static Instant settled;
  private static PanelCheck check;

  @BeforeAll
  static void play() throws Exception {
    receiver = SpanReceiver.start(0);
    busy = BusyInstallation.start(directory, receiver);
    store =
        Programs.prometheus(
            Files.createDirectories(directory.resolve("store")), busy.scrape(), "2s");
    began = Instant.now();
    check = new PanelCheck(store, began, RATES);
    busy.play(DashboardQueriesIT::awaitScrape);
    await()
        .atMost(TestInstallation.PATIENCE)
        .until(() ->
            sum("headgate_queue_jobs{headgate_state='waiting'}") == 4
                && sum("headgate_queue_jobs{headgate_state='running'}") == 6);
    settled = Instant.now();
  }

  private static void awaitScrape() {
    double now = System.currentTimeMillis() / MILLIS;
    await().atMost(TestInstallation.PATIENCE).until(() -> sum("min(timestamp(up))") > now);
  }

  /// `-Dheadgate.pictures=DIR` draws the dashboards there, as they are at the end.
  @AfterAll
  static void stop() throws Exception {
    String pictures = System.getProperty("headgate.pictures", "");
    if (!pictures.isEmpty()) {
      new BoardPage(store, began, Instant.now())
          .draw(GRAFANA.resolve("dashboards"), Path.of(pictures));
    }
    List.of(store, busy, receiver).forEach(each -> close(each));
  }

  private static void close(AutoCloseable closed) {
    try {
      closed.close();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static double sum(String query) {
    return store.now("sum(" + query + ")").stream().mapToDouble(Series::last).sum();
  }

  @Test
  void everyMetricAppears() {
    Set<String> missing =
        AllMetrics.stream()
            .map(DashboardQueriesIT::series)
            .filter(name -> !check.hasData(name))
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> conditional =
        CONDITIONAL.keySet().stream()
            .filter(word -> word.matches("headgate_\\w+"))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(missing).isEqualTo(conditional);
  }

  private static String series(MetricDefinition metric) {
    return AllMetrics.prometheusName(metric) + (metric.kind() == Kind.HISTOGRAM ? "_count" : "");
  }

  static boolean isConditional(String query) {
    return CONDITIONAL.keySet().stream().anyMatch(query::contains);
  }

  @Test
  void everyPanelHasData() throws Exception {
    assertThat(check.emptyPanels(GRAFANA.resolve("dashboards"), DashboardQueriesIT::isConditional))
        .isEmpty();
  }

  @Test
  void everyAlertLooksAtData() throws Exception {
    assertThat(
            check.emptyAlerts(
                GRAFANA.resolve("alerts/headgate.rules.yaml"), DashboardQueriesIT::isConditional))
        .isEmpty();
  }

  /// Rows of a command, by the first column.
  private static Map<String, Map<String, String>> rows(String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(List.of("-o", "csv"));
    LiveCli.Result result = LiveCli.of(busy.headgate()).run(all.toArray(String[]::new));
    assertThat(result.exitCode()).as(result.err()).isZero();
    List<String[]> lines =
        result.lines().stream()
            .map(line -> line.split(",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", -1))
            .toList();
    Map<String, Map<String, String>> rows = new TreeMap<>();
    for (String[] line : lines.subList(1, lines.size())) {
      Map<String, String> row = new TreeMap<>();
      for (int i = 0; i < line.length; i++) {
        row.put(lines.getFirst()[i], line[i]);
      }
      rows.put(line[0], row);
    }
    return rows;
  }

  private static double gpus(String text) {
    return GpuQuantity.parse(text).units() / (double) GpuQuantity.UNITS_PER_GPU;
  }

  @Test
  void poolsAreAsPoolsSays() {
    Map<String, Map<String, String>> pools = rows("pools");
    assertThat(pools).hasSize(2);
    pools.forEach((pool, row) ->
        Map.of(
                "used",
                "used",
                "held",
                "held",
                "idle",
                "idle",
                "capacity",
                "capacity",
                "down",
                "down")
            .forEach((metric, column) ->
                assertThat(
                        sum(
                            "headgate_pool_gpu_%s{headgate_tenant='acme',headgate_pool='%s'}"
                                .formatted(metric, pool)))
                    .as("%s of %s", metric, pool)
                    .isEqualTo(gpus(row.getOrDefault(column, "")))));
    assertThat(sum("headgate_pool_gpu_used")).as("of both tenants").isEqualTo(6.5);
  }

  @Test
  void policiesAreAsPoliciesSays() {
    Map<String, Map<String, String>> policies = rows("policies");
    assertThat(policies).hasSize(3);
    policies.forEach((policy, row) -> {
      String of = "{headgate_tenant='acme',headgate_policy='%s'}".formatted(policy);
      Map.of("usage", "used", "reservation", "reserved", "limit", "limit", "demand", "demand")
          .forEach((metric, column) ->
              assertThat(sum("headgate_policy_gpu_" + metric + of))
                  .as("%s of %s", metric, policy)
                  .isEqualTo(gpus(row.getOrDefault(column, ""))));
    });
    assertThat(
            sum(
                "headgate_policy_gpu_usage{headgate_policy='lab',headgate_usage_kind='over_reservation'}"))
        .isEqualTo(2);
  }

  @Test
  void jobsAreAsJobsSays() {
    Map<String, Long> waiting = new TreeMap<>();
    rows("jobs", "--all", "--state", "WAITING")
        .values()
        .forEach(row -> waiting.merge(row.getOrDefault("queue", ""), 1L, Long::sum));
    assertThat(waiting).isEqualTo(Map.of("lab-1", 2L, "owners-2", 1L, "eight", 1L));
    waiting.forEach((queue, count) -> {
      String of = "{headgate_tenant='acme',headgate_queue='%s'%s}";
      assertThat(sum("headgate_queue_jobs" + of.formatted(queue, ",headgate_state='waiting'")))
          .isEqualTo(count.doubleValue());
      String reason = queue.equals("eight") ? "NEVER_FITS" : "CAPACITY";
      assertThat(
              sum(
                  "headgate_queue_waiting"
                      + of.formatted(queue, ",headgate_reason='" + reason + "'")))
          .isEqualTo(count.doubleValue());
    });
    assertThat(sum("headgate_profile_jobs{headgate_profile='one',headgate_state='waiting'}"))
        .isEqualTo(2);
  }

  /// Between two scrapes, the counters grew as the ledger says.
  @Test
  void gpuTimeAndCostAreAsUsageSays() {
    Instant first = scraped(settled);
    Instant last =
        await()
            .atMost(TestInstallation.PATIENCE)
            .until(() -> scraped(Instant.now()), at -> at.isAfter(first.plusSeconds(5)));
    Json usage =
        Json.read(
            LiveCli.of(busy.headgate())
                .run(
                    "usage",
                    "--by",
                    "policy",
                    "--since",
                    first.toString(),
                    "--until",
                    last.toString(),
                    "-o",
                    "json")
                .out());
    assertThat(usage.at("rows").list()).hasSize(2);
    for (Json row : usage.at("rows").list()) {
      String policy = row.at("keys").list().getFirst().text();
      Map.of(
              "entitled", "entitled",
              "over_reservation", "overReservation",
              "above_limit", "aboveLimit")
          .forEach((kind, field) ->
              assertThat(
                      grown(
                          "headgate_gpu_time_seconds_total{headgate_policy='%s',headgate_usage_kind='%s'}"
                              .formatted(policy, kind),
                          first,
                          last))
                  .as("%s of %s from %s to %s", kind, policy, first, last)
                  .isCloseTo(seconds(row.at(field).text()), within(SCRAPE_SECONDS)));
    }
    // Four GPUs at 360 EUR an hour and one at 720: 0.6 EUR a second.
    double seconds = Duration.between(first, last).toMillis() / MILLIS;
    assertThat(grown("headgate_gpu_cost_total", first, last))
        .isCloseTo(0.6 * seconds, within(0.6 * SCRAPE_SECONDS));
  }

  private static double grown(String query, Instant first, Instant last) {
    String sum = "sum(" + query + ")";
    return store.at(sum, last).getFirst().last() - store.at(sum, first).getFirst().last();
  }

  /// GPU time as the ledger has it: units of a GPU times milliseconds.
  private static double seconds(String amount) {
    return Double.parseDouble(amount) / GpuQuantity.UNITS_PER_GPU / MILLIS;
  }

  private static Instant scraped(Instant at) {
    double seconds =
        store.at("max(timestamp(headgate_gpu_time_seconds_total))", at).getFirst().last();
    return Instant.ofEpochMilli(Math.round(seconds * MILLIS));
  }

  @Test
  void exemplarsLeadToTraces() {
    Set<String> traces =
        receiver.named("job.submit").stream()
            .map(SpanReceiver.Seen::traceId)
            .collect(Collectors.toSet());
    assertThat(
            store.exemplarTraces("headgate_job_wait_duration_seconds_bucket", began, Instant.now()))
        .isNotEmpty()
        .allMatch(traces::contains);
  }
}
