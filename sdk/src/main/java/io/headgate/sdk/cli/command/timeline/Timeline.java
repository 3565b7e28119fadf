package io.headgate.sdk.cli.command.timeline;

import io.headgate.proto.scheduler.v1.UsageInterval;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// Tracks over a period.
///
/// @param tracks by pool, node, device, size (the larger first) and begin
/// @param showsFree whether all use of the devices is known, so that the rest of them was free
/// @param left what is not shown
record Timeline(Instant since, Instant until, List<Track> tracks, boolean showsFree, Left left) {
  private static final Comparator<Bar.Place> BY_PLACE =
      Comparator.comparing(Bar.Place::pool)
          .thenComparing(Bar.Place::node)
          .thenComparingInt(Bar.Place::device)
          .thenComparing(Bar.Place::quantity, Comparator.reverseOrder());

  /// The rest, which is not shown because it is too much.
  ///
  /// @param rows tracks with bars, and of devices that were down
  /// @param freeDevices devices that nothing used and that never were down
  record Left(int rows, int freeDevices) {
    static final Left NOTHING = new Left(0, 0);
  }

  Timeline {
    tracks = List.copyOf(tracks);
  }

  /// A device that a caller may see, in use or not.
  record Device(String pool, String node, int index) {}

  /// Puts bars into tracks, each into the first track of its place that is free.
  ///
  /// @param intervals by begin
  /// @param devices those without a bar get a track of their own
  /// @param showsFree whether the intervals are all use of the devices
  static Timeline of(
      Instant since,
      Instant until,
      List<UsageInterval> intervals,
      List<Device> devices,
      boolean showsFree) {
    List<Bar> bars = Bars.of(intervals, until);
    Map<Device, List<Down>> downs = Down.of(intervals, until);
    Map<Bar.Place, List<List<Bar>>> byPlace = new TreeMap<>(BY_PLACE);
    Set<Device> used = new HashSet<>();
    for (Bar bar : bars) {
      Bar.Place place = bar.place();
      used.add(new Device(place.pool(), place.node(), place.device()));
      List<List<Bar>> tracks = byPlace.computeIfAbsent(place, _ -> new ArrayList<>());
      tracks.stream()
          .filter(track -> !track.getLast().until().isAfter(bar.from()))
          .findFirst()
          .orElseGet(() -> {
            List<Bar> fresh = new ArrayList<>();
            tracks.add(fresh);
            return fresh;
          })
          .add(bar);
    }
    List<Track> tracks = new ArrayList<>();
    byPlace.forEach((place, all) -> {
      Device device = new Device(place.pool(), place.node(), place.device());
      List<Down> down = downs.getOrDefault(device, List.of());
      all.forEach(track -> tracks.add(Track.used(place, track, down)));
    });
    Set<Device> unused = new LinkedHashSet<>(downs.keySet());
    unused.addAll(showsFree ? devices : List.of());
    unused.stream()
        .filter(device -> !used.contains(device))
        .forEach(device -> tracks.add(Track.unused(device, downs.getOrDefault(device, List.of()))));
    tracks.sort(Comparator.comparing(Track::place, BY_PLACE));
    return new Timeline(since, until, tracks, showsFree, Left.NOTHING);
  }

  /// The first tracks. Free devices go first where there are too many.
  Timeline limited(int rows) {
    if (tracks.size() <= rows) {
      return this;
    }
    List<Track> used = tracks.stream().filter(track -> !track.isFree()).toList();
    List<Track> shown = used.subList(0, Math.min(rows, used.size()));
    return new Timeline(
        since,
        until,
        shown,
        showsFree,
        new Left(used.size() - shown.size(), tracks.size() - used.size()));
  }
}
