package io.headgate.scheduler.simulation;

import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.usage.PolicyUsage;
import io.headgate.scheduler.core.usage.PoolUsage;
import io.headgate.scheduler.simulation.Summary.PolicyLine;
import io.headgate.scheduler.simulation.Summary.PoolLine;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/// Measures the summary's figures: GPU time and waits.
final class Meter {
  private final Map<PolicyId, List<Long>> waits = new HashMap<>();
  private final Map<PolicyId, List<Awaited>> awaited = new HashMap<>();
  private GpuSeconds capacity = GpuSeconds.ZERO;
  private GpuSeconds used = GpuSeconds.ZERO;
  private GpuSeconds lost = GpuSeconds.ZERO;
  private long capacityUnits;
  private long usedUnits;
  private long lastMs;
  int preemptions;

  /// Time passes while the present counts stay as they are.
  void advance(long toMs) {
    capacity = capacity.plus(capacityUnits, toMs - lastMs);
    used = used.plus(usedUnits, toMs - lastMs);
    lastMs = toMs;
  }

  /// Measures the capacity anew, after nodes or pools changed.
  void capacityChanged(SchedulerCore core) {
    capacityUnits = 0;
    for (PoolUsage pool : core.pools()) {
      capacityUnits += pool.capacity().units();
    }
  }

  void use(long units) {
    usedUnits += units;
  }

  void lose(long units, long millis) {
    lost = lost.plus(units, millis);
  }

  void waited(PolicyId policy, long millis) {
    waits.computeIfAbsent(policy, key -> new ArrayList<>()).add(millis);
  }

  /// A start, and the begin of its wait.
  ///
  /// @param sinceMs not before 0s
  private record Awaited(long sinceMs, long atMs) {}

  /// @param sinceMs begin of the job's wait
  void startedAhead(PolicyId policy, long sinceMs, long atMs) {
    awaited
        .computeIfAbsent(policy, key -> new ArrayList<>())
        .add(new Awaited(Math.max(0, sinceMs), atMs));
  }

  /// The waits of the policy's jobs from 0s on.
  ///
  /// @param left the number of its jobs that still wait
  /// @param knownMs starts after this time do not count
  WaitForecast expected(PolicyId policy, int left, long knownMs) {
    List<Awaited> starts = awaited.getOrDefault(policy, List.of());
    List<Long> known = new ArrayList<>();
    for (Awaited start : starts) {
      if (start.atMs() <= knownMs) {
        known.add(start.atMs() - start.sinceMs());
      }
    }
    Collections.sort(known);
    int all = starts.size() + left;
    return new WaitForecast(all, known(known, all, 50), known(known, all, 99));
  }

  /// A percentile of all waits. Unknown waits count as longer than the known ones.
  private static OptionalLong known(List<Long> sorted, int all, int percent) {
    int index = rank(all, percent);
    return index >= 0 && index < sorted.size()
        ? OptionalLong.of(sorted.get(index))
        : OptionalLong.empty();
  }

  GpuSeconds capacity() {
    return capacity;
  }

  GpuSeconds used() {
    return used;
  }

  GpuSeconds lost() {
    return lost;
  }

  List<PolicyLine> policies(SchedulerCore core) {
    List<PolicyLine> lines = new ArrayList<>();
    for (PolicyUsage usage : core.policies()) {
      List<Long> waited = waits.getOrDefault(usage.policy(), List.of());
      List<Long> sorted = new ArrayList<>(waited);
      Collections.sort(sorted);
      lines.add(
          new PolicyLine(
              usage.policy().name(),
              usage.used(),
              usage.reservation(),
              usage.limit(),
              percentile(sorted, 50),
              percentile(sorted, 99)));
    }
    return lines;
  }

  static List<PoolLine> pools(SchedulerCore core) {
    List<PoolLine> lines = new ArrayList<>();
    for (PoolUsage usage : core.pools()) {
      lines.add(new PoolLine(usage.pool().name(), usage.used(), usage.capacity()));
    }
    return lines;
  }

  /// The least value that `percent` % of the values do not exceed; 0 when there are no values.
  static long percentile(List<Long> sorted, int percent) {
    return sorted.isEmpty() ? 0 : sorted.get(rank(sorted.size(), percent));
  }

  private static int rank(int size, int percent) {
    return Math.toIntExact(((long) size * percent + 99) / 100 - 1);
  }
}
