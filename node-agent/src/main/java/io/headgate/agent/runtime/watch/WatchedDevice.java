package io.headgate.agent.runtime.watch;

import io.headgate.agent.core.DeviceCondition;
import io.headgate.agent.core.DeviceInfo;
import io.headgate.agent.core.DeviceSign;
import io.headgate.agent.core.HealthRules;
import io.headgate.agent.driver.DeviceReading;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// The evidence for and against one device. Guarded by the lock of its [DeviceWatch].
final class WatchedDevice {
  /// Readings in a row before it counts as slowed down, and before it recovers. A device at its
  /// limit alternates between both.
  private static final int STEADY = 3;

  /// How long refused slices count against it; then it is tried again.
  private static final Duration QUARANTINE = Duration.ofMinutes(10);

  private final int index;
  private final SortedMap<Integer, DeviceSign.Xid> reported = new TreeMap<>();
  private final Map<String, DeviceSign.SliceStuck> stuck = new TreeMap<>();
  private List<DeviceSign> signs = List.of();
  private DeviceReading.Figures figures = DeviceReading.Figures.NONE;
  private DeviceCondition condition = DeviceCondition.HEALTHY;
  private DeviceSign.Throttled throttled = new DeviceSign.Throttled("");
  private boolean isThrottled;
  private int otherwise; // readings in a row that say otherwise
  private DeviceSign.SlicesRefused refusals = new DeviceSign.SlicesRefused(0, "");
  private long refusedNanos;
  private final SortedMap<Integer, Long> counted = new TreeMap<>();
  private int lastXid;
  private long closings;
  private boolean isRead;
  private boolean isStirring;

  WatchedDevice(int index) {
    this.index = index;
  }

  int index() {
    return index;
  }

  DeviceWatch.Seen seen(DeviceInfo info) {
    return new DeviceWatch.Seen(
        info,
        condition,
        figures,
        new DeviceWatch.Counts(new TreeMap<>(counted), lastXid, closings));
  }

  DeviceCondition condition() {
    return condition;
  }

  boolean isRead() {
    return isRead;
  }

  void read(DeviceReading reading) {
    isRead = true;
    figures = reading.figures();
    signs =
        reading.signs().stream().filter(sign -> !(sign instanceof DeviceSign.Throttled)).toList();
    boolean isNow = false;
    for (DeviceSign sign : reading.signs()) {
      if (sign instanceof DeviceSign.Throttled now) {
        throttled = now;
        isNow = true;
      }
    }
    otherwise = isNow == isThrottled ? 0 : otherwise + 1;
    if (otherwise == STEADY) {
      isThrottled = isNow;
      otherwise = 0;
    }
  }

  void reported(DeviceSign.Xid error) {
    counted.merge(error.number(), 1L, Long::sum);
    lastXid = error.number();
    if (HealthRules.isOfTheDevice(error)) {
      reported.put(error.number(), error);
    }
  }

  void stir() {
    isStirring = true;
  }

  boolean isStirring() {
    return isStirring;
  }

  void calm() {
    isStirring = false;
  }

  void stuck(String slice, String problem) {
    stuck.put(slice, new DeviceSign.SliceStuck(problem));
  }

  void freed(String slice) {
    stuck.remove(slice);
  }

  void refused(String problem, long nowNanos) {
    refusals = new DeviceSign.SlicesRefused(refusals.times() + 1, problem);
    refusedNanos = nowNanos;
  }

  void made() {
    refusals = new DeviceSign.SlicesRefused(0, "");
  }

  /// Judges it anew.
  ///
  /// @return whether it is otherwise than before
  boolean judge(long nowNanos) {
    if (refusals.times() > 0 && nowNanos - refusedNanos >= QUARANTINE.toNanos()) {
      made();
    }
    List<DeviceSign> all = new ArrayList<>(signs);
    all.addAll(reported.values());
    all.addAll(stuck.values());
    if (isThrottled) {
      all.add(throttled);
    }
    if (refusals.times() > 0) {
      all.add(refusals);
    }
    DeviceCondition before = condition;
    condition = HealthRules.judge(all);
    if (!condition.takesWork() && before.takesWork()) {
      closings++;
    }
    return !condition.equals(before);
  }
}
