package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.deploy.observe.MetricStore;
import io.headgate.deploy.observe.PanelCheck;
import io.headgate.deploy.observe.Programs;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A store that gets its metrics by OTLP has data for every panel and alert, as one that scrapes.
@Tag("faults")
class VictoriaMetricsIT {
  /// The schedulers, and the process that passes calls on to them.
  private static final int PROCESSES = 3;

  private static final double MILLIS = 1000;

  @Test
  void everyPanelAndAlertHasDataByPush(@TempDir Path directory) throws Exception {
    try (MetricStore store = Programs.victoriaMetrics(directory);
        SpanReceiver receiver = SpanReceiver.start(0)) {
      receiver.passMetrics(store.uri().resolve("/opentelemetry/v1/metrics"));
      try (BusyInstallation busy = BusyInstallation.start(directory, receiver)) {
        PanelCheck check = new PanelCheck(store, Instant.now(), DashboardQueriesIT.RATES);
        busy.play(() -> awaitPush(store));
        await()
            .atMost(TestInstallation.PATIENCE)
            .until(
                () -> check.hasData("sum(headgate_queue_jobs{headgate_state=\"waiting\"}) == 4"));
        Path grafana = DashboardQueriesIT.GRAFANA;
        // The last pushes are found only after a while.
        await()
            .atMost(TestInstallation.PATIENCE)
            .untilAsserted(() -> {
              assertThat(
                      check.emptyPanels(
                          grafana.resolve("dashboards"), DashboardQueriesIT::isConditional))
                  .isEmpty();
              assertThat(
                      check.emptyAlerts(
                          grafana.resolve("alerts/headgate.rules.yaml"),
                          DashboardQueriesIT::isConditional))
                  .isEmpty();
            });
      }
    }
  }

  /// Waits until every process has pushed.
  private static void awaitPush(MetricStore store) {
    double now = System.currentTimeMillis() / MILLIS;
    await()
        .atMost(TestInstallation.PATIENCE)
        .until(() ->
            store.now("timestamp(headgate_scheduler_epoch)").stream()
                    .filter(series -> series.last() > now)
                    .count()
                >= PROCESSES);
  }
}
