package io.headgate.sdk.cli.command.timeline;

import io.headgate.proto.scheduler.v1.UsageInterval;
import io.headgate.sdk.cli.command.timeline.Timeline.Device;
import io.headgate.type.GpuQuantity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The time in which the unused part of a device took no work.
///
/// @param lasts whether it had not ended when the server was asked
record Down(Instant from, Instant until, GpuQuantity quantity, boolean lasts) {
  /// Joins intervals that follow one another.
  ///
  /// @param intervals by start time; those of use are passed over
  /// @param now where those end that last
  static Map<Device, List<Down>> of(List<UsageInterval> intervals, Instant now) {
    Map<Device, List<Down>> byDevice = new LinkedHashMap<>();
    for (UsageInterval interval : intervals) {
      if (interval.getDown()) {
        Device device = new Device(interval.getPool(), interval.getNode(), interval.getDevice());
        add(byDevice.computeIfAbsent(device, _ -> new ArrayList<>()), down(interval, now));
      }
    }
    return byDevice;
  }

  private static Down down(UsageInterval interval, Instant now) {
    Instant from = Times.instant(interval.getStartTime());
    return new Down(
        from,
        Times.end(interval, now),
        GpuQuantity.parse(interval.getQuantity()),
        !interval.hasEndTime());
  }

  private static void add(List<Down> all, Down next) {
    if (!all.isEmpty()
        && all.getLast().until().equals(next.from())
        && all.getLast().quantity().equals(next.quantity())) {
      Down before = all.removeLast();
      all.add(new Down(before.from(), next.until(), next.quantity(), next.lasts()));
    } else {
      all.add(next);
    }
  }

  /// Whether it touches a period.
  boolean touches(Instant begin, Instant end) {
    return from.isBefore(end) && until.isAfter(begin);
  }
}
