package io.headgate.sdk.cli.command.timeline;

import io.headgate.proto.scheduler.v1.UsageInterval;
import io.headgate.sdk.cli.command.timeline.Bar.Holder;
import io.headgate.sdk.cli.command.timeline.Bar.Part;
import io.headgate.sdk.cli.command.timeline.Bar.Place;
import io.headgate.type.GpuQuantity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Joins intervals to bars: an interval that begins where another one of the same holder ends goes
/// on with its bar.
final class Bars {
  private final Instant now;
  private final Map<Goes, Open> open = new HashMap<>();
  private final List<Open> all = new ArrayList<>();

  /// The continuation of a bar. A job with two equal slices of one device has two bars, of which
  /// each goes on once.
  private record Goes(Place place, Holder holder, Instant from, int number) {}

  private static final class Open {
    private final Place place;
    private final Holder holder;
    private final List<Part> parts = new ArrayList<>();
    private boolean lasts;
    private boolean preempted;

    private Open(Place place, Holder holder) {
      this.place = place;
      this.holder = holder;
    }
  }

  private Bars(Instant now) {
    this.now = now;
  }

  /// @param intervals by start time; those in which a device was down are passed over
  /// @param now where those end that last
  static List<Bar> of(List<UsageInterval> intervals, Instant now) {
    Bars bars = new Bars(now);
    intervals.stream().filter(interval -> !interval.getDown()).forEach(bars::add);
    return bars.all.stream()
        .map(bar -> new Bar(bar.place, bar.holder, bar.parts, bar.lasts, bar.preempted))
        .toList();
  }

  private void add(UsageInterval interval) {
    Instant from = Times.instant(interval.getStartTime());
    Instant until = Times.end(interval, now);
    Place place =
        new Place(
            interval.getPool(),
            interval.getNode(),
            interval.getDevice(),
            GpuQuantity.parse(interval.getQuantity()));
    Holder holder =
        new Holder(
            interval.getTenant(),
            interval.getJob(),
            interval.getAttempt(),
            interval.getUser(),
            interval.getPolicy(),
            interval.getQueue(),
            interval.getProfile());
    Open bar = holder.isSeen() ? take(place, holder, from) : begin(place, holder);
    bar.parts.addAll(parts(interval, from, until));
    bar.lasts = !interval.hasEndTime();
    bar.preempted = interval.getPreempted();
    if (holder.isSeen()) {
      offer(bar, until);
    }
  }

  private Open begin(Place place, Holder holder) {
    Open bar = new Open(place, holder);
    all.add(bar);
    return bar;
  }

  private Open take(Place place, Holder holder, Instant from) {
    for (int number = 0; ; number++) {
      Goes key = new Goes(place, holder, from, number);
      if (!open.containsKey(key)) {
        return begin(place, holder);
      }
      Open bar = open.get(key);
      if (!bar.parts.isEmpty() && bar.parts.getLast().until().equals(from)) {
        return bar;
      }
    }
  }

  private void offer(Open bar, Instant until) {
    int number = 0;
    while (open.putIfAbsent(new Goes(bar.place, bar.holder, until, number), bar) != null) {
      number++;
    }
  }

  private static List<Part> parts(UsageInterval interval, Instant from, Instant until) {
    Mark mark = Mark.of(interval);
    if (!interval.hasStoppingTime()) {
      return List.of(new Part(from, until, mark));
    }
    Instant stop = Times.instant(interval.getStoppingTime());
    if (!stop.isAfter(from)) {
      return List.of(new Part(from, until, Mark.STOPPING));
    }
    return stop.isBefore(until)
        ? List.of(new Part(from, stop, mark), new Part(stop, until, Mark.STOPPING))
        : List.of(new Part(from, until, mark));
  }
}
