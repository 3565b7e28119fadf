package io.headgate.agent.runtime.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.agent.core.Fixtures;
import io.headgate.agent.core.IsolationLevel;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.time.TimeSource;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.LongPointData;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Counters of rare events: they exist before their first event, which rates would miss otherwise.
class AgentCountersTest {
  private final InMemoryMetricReader reader = InMemoryMetricReader.create();
  private AgentInstruments instruments;

  @BeforeEach
  void start() {
    OpenTelemetrySdk sdk =
        OpenTelemetrySdk.builder()
            .setMeterProvider(SdkMeterProvider.builder().registerMetricReader(reader).build())
            .build();
    instruments = new AgentInstruments(Telemetry.of(sdk), TimeSource.system(), "n1");
  }

  @AfterEach
  void stop() {
    instruments.close();
  }

  /// The values of a counter by its attributes but the node, in the order of their names.
  private Map<String, Long> values(String metric) {
    Map<String, Long> values = new TreeMap<>();
    reader.collectAllMetrics().stream()
        .filter(data -> data.getName().equals(metric))
        .flatMap(data -> data.getLongSumData().getPoints().stream())
        .forEach(point -> values.put(key(point), point.getValue()));
    return values;
  }

  private static String key(LongPointData point) {
    assertThat(point.getAttributes().get(AgentMetrics.NODE)).isEqualTo("n1");
    StringBuilder key = new StringBuilder();
    point
        .getAttributes()
        .forEach((name, value) -> {
          if (!name.equals(AgentMetrics.NODE)) {
            key.append(key.isEmpty() ? "" : " ").append(Objects.requireNonNull(value));
          }
        });
    return key.toString();
  }

  private static SlicePlan plan(String mechanism) {
    return new SlicePlan(
        Fixtures.key("a"), 0, Fixtures.slice(0, "1/2"), mechanism, IsolationLevel.REACTIVE, 10);
  }

  @Test
  void countsWhatWasDoneToHoldJobsToTheirLimits() {
    String name = "headgate.enforcement.actions";
    assertThat(values(name)).hasSize(Enforcement.values().length).values().containsOnly(0L);
    instruments.enforced(Enforcement.EXCESS_FOUND);
    instruments.enforced(Enforcement.EXCESS_FOUND);
    instruments.enforced(Enforcement.KILLED);
    assertThat(values(name))
        .containsEntry("excess_found", 2L)
        .containsEntry("killed", 1L)
        .containsEntry("remains_killed", 0L);
  }

  @Test
  void countsAttemptsThatDidNotKeepToTheirSlices() {
    String name = "headgate.slice.violations";
    assertThat(values(name)).containsExactly(Map.entry("fence none", 0L));
    SlicePlan watched = plan("watched");
    instruments.starting(Fixtures.assignment("a")).makingSlices(List.of(watched)).close();
    assertThat(values(name))
        .as("with the first slice of a mechanism")
        .containsOnly(
            Map.entry("fence none", 0L),
            Map.entry("fence watched", 0L),
            Map.entry("memory watched", 0L));
    instruments.violated(List.of(watched), Violation.MEMORY);
    instruments.violated(List.of(watched), Violation.MEMORY);
    instruments.violated(List.of(), Violation.FENCE);
    assertThat(values(name))
        .containsOnly(
            Map.entry("fence none", 1L),
            Map.entry("fence watched", 0L),
            Map.entry("memory watched", 2L));
  }

  @Test
  void slicesOfAnEarlierAgentHaveTheirCountersToo() {
    instruments.observe(List::of, () -> List.of(plan("mps")), () -> 0);
    reader.collectAllMetrics();
    assertThat(values("headgate.slice.violations"))
        .containsEntry("memory mps", 0L)
        .containsEntry("fence mps", 0L);
  }
}
