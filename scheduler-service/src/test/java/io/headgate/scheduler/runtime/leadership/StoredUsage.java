package io.headgate.scheduler.runtime.leadership;

import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.ledger.Entries;
import io.headgate.scheduler.core.ledger.HeldStep;
import io.headgate.scheduler.core.ledger.PoolStep;
import io.headgate.scheduler.core.ledger.ShortageStep;
import io.headgate.scheduler.core.ledger.UsageInterval;
import io.headgate.scheduler.runtime.record.LoadedState.UsageTold;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The ledger of usage as a database keeps it.
final class StoredUsage {
  private final List<UsageInterval> intervals = new ArrayList<>();
  private final List<PoolStep> steps = new ArrayList<>();
  private final Map<PoolId, PoolStep> pools = new TreeMap<>();
  private final Map<PolicyId, ShortageStep> shortages = new TreeMap<>();
  private final Map<JobId, HeldStep> held = new LinkedHashMap<>();

  void add(Entries entries) {
    intervals.addAll(entries.intervals());
    steps.addAll(entries.pools());
    entries.pools().forEach(step -> pools.put(step.pool(), step));
    entries.shortages().forEach(step -> shortages.put(step.policy(), step));
    for (HeldStep step : entries.held()) {
      held.remove(step.job());
      if (step.held().isPresent()) {
        held.put(step.job(), step);
      }
    }
  }

  UsageTold told() {
    return new UsageTold(
        List.copyOf(pools.values()),
        shortages.values().stream().filter(step -> step.missing() > 0).toList(),
        List.copyOf(held.values()));
  }

  List<UsageInterval> intervals() {
    return intervals;
  }

  List<PoolStep> steps() {
    return steps;
  }
}
