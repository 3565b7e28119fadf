package io.headgate.scheduler.store;

import io.headgate.scheduler.core.ledger.Holding;
import io.headgate.scheduler.core.ledger.UsageInterval;
import io.headgate.scheduler.runtime.record.UsageReader.Asked;
import io.headgate.scheduler.runtime.record.UsageReader.Dimension;
import java.util.List;

/// Intervals that last, as rows of the ledger would say them.
final class OpenIntervals {
  private OpenIntervals() {}

  static boolean isAskedFor(Asked asked, UsageInterval interval) {
    Holding holding = interval.holding();
    return asked.tenant().map(holding.policy().tenant()::equals).orElse(true)
        && asked.viewer().seesTeam(holding.policy().name());
  }

  static List<String> keys(UsageInterval interval, List<Dimension> by) {
    Holding holding = interval.holding();
    return by.stream()
        .map(dimension ->
            switch (dimension) {
              case TENANT -> holding.policy().tenant().name();
              case DEPARTMENT -> PostgresUsage.path(interval.terms().departments());
              case POLICY -> holding.policy().name();
              case GROUP -> interval.terms().group().orElse("");
              case USER -> holding.user().name();
              case QUEUE -> holding.queue().name();
              case PROFILE -> holding.profile().name();
              case POOL -> SharedNames.text(holding.place().pool());
            })
        .toList();
  }
}
