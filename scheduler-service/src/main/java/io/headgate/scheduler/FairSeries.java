package io.headgate.scheduler;

import io.headgate.kit.telemetry.MetricDefinition;
import io.headgate.scheduler.Gauges.Reading;
import io.opentelemetry.api.common.Attributes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Bounds the series of each gauge. The library of telemetry keeps the first 2,000 and throws all
/// others together, so that a tenant with thousands of queues would push out the series of others.
/// Here such a tenant loses series of its own, and is told how many.
final class FairSeries {
  /// One less than the library keeps, because one is for those that it throws together.
  static final int MOST = 1999;

  private FairSeries() {}

  /// At most [#MOST] readings of each gauge. A tenant with no more readings of a gauge than its
  /// share loses none. Tenants with more lose the last ones by name.
  static List<Reading> bound(List<Reading> readings) {
    Map<MetricDefinition, List<Reading>> byName = new LinkedHashMap<>();
    for (Reading reading : readings) {
      byName.computeIfAbsent(reading.name(), _ -> new ArrayList<>()).add(reading);
    }
    List<Reading> kept = new ArrayList<>(readings.size());
    Map<String, Integer> leftOut = new HashMap<>();
    byName.values().forEach(all -> bound(all, kept, leftOut));
    leftOut.forEach((tenant, count) ->
        kept.add(
            new Reading(
                MetricNames.SERIES_LEFT_OUT, count, Attributes.of(MetricNames.TENANT, tenant))));
    return kept;
  }

  private static void bound(List<Reading> all, List<Reading> kept, Map<String, Integer> leftOut) {
    if (all.size() <= MOST) {
      kept.addAll(all);
      return;
    }
    Map<String, Integer> had = new HashMap<>();
    all.forEach(reading -> had.merge(tenant(reading), 1, Integer::sum));
    int share = share(had.values());
    Map<String, Integer> has = new HashMap<>();
    for (Reading reading : all) {
      if (has.merge(tenant(reading), 1, Integer::sum) <= share) {
        kept.add(reading);
      } else {
        leftOut.merge(tenant(reading), 1, Integer::sum);
      }
    }
  }

  /// The largest bound for each tenant with which all of them have at most [#MOST] together.
  private static int share(Collection<Integer> counts) {
    int left = MOST;
    int tenants = counts.size();
    for (int count : counts.stream().sorted().toList()) {
      if ((long) count * tenants > left) {
        return left / tenants;
      }
      left -= count;
      tenants--;
    }
    return left;
  }

  private static String tenant(Reading reading) {
    return Objects.requireNonNullElse(reading.attributes().get(MetricNames.TENANT), "");
  }
}
