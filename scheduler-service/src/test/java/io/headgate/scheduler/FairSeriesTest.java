package io.headgate.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.scheduler.Gauges.Reading;
import io.opentelemetry.api.common.Attributes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A tenant that creates names until the metrics burst loses series of its own only (T24).
class FairSeriesTest {
  private static List<Reading> queues(String tenant, int count) {
    List<Reading> readings = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      readings.add(
          new Reading(
              MetricNames.QUEUE_OLDEST_AGE,
              i,
              Attributes.of(MetricNames.TENANT, tenant, MetricNames.QUEUE, "q-" + i)));
    }
    return readings;
  }

  private static long count(List<Reading> readings, String tenant) {
    return readings.stream()
        .filter(reading -> reading.name().equals(MetricNames.QUEUE_OLDEST_AGE))
        .filter(reading -> tenant.equals(reading.attributes().get(MetricNames.TENANT)))
        .count();
  }

  @Test
  void aHundredThousandNamesOfOneTenantPushNoOtherTenantOut() {
    List<Reading> readings = queues("flood", 100_000);
    readings.addAll(queues("quiet", 3));
    readings.addAll(queues("large", 900));

    List<Reading> kept = FairSeries.bound(readings);

    assertThat(count(kept, "quiet")).isEqualTo(3);
    assertThat(count(kept, "large")).isEqualTo(900);
    assertThat(count(kept, "flood")).isEqualTo(FairSeries.MOST - 903);
    assertThat(kept)
        .contains(
            new Reading(
                MetricNames.SERIES_LEFT_OUT,
                100_000 - (FairSeries.MOST - 903),
                Attributes.of(MetricNames.TENANT, "flood")));
  }

  @Test
  void tenantsThatAllHaveManyShareEvenly() {
    List<Reading> readings = queues("one", 5000);
    readings.addAll(queues("two", 5000));

    List<Reading> kept = FairSeries.bound(readings);

    assertThat(count(kept, "one")).isEqualTo(FairSeries.MOST / 2);
    assertThat(count(kept, "two")).isEqualTo(FairSeries.MOST / 2);
  }

  @Test
  void fewSeriesStayAsTheyAre() {
    List<Reading> readings = queues("one", FairSeries.MOST);
    assertThat(FairSeries.bound(readings)).isEqualTo(readings);
  }
}
