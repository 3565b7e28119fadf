package io.headgate.scheduler.core;

import io.headgate.scheduler.core.queue.Route;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Decides how long remembered results stay valid. The core names what happened; which results that
/// outdates is decided here only.
///
/// | result | outdated by |
/// |---|---|
/// | the order of victims | [#orderChanged], and all that outdates a failed search |
/// | a search for victims that failed | [#freed], [#victimsChanged], [#nodeChanged], [#catalogChanged] |
/// | a route on which a job never fits | [#placesChanged], [#nodeChanged], [#catalogChanged] |
/// | a route that endless jobs block, or on which the expected start is unknown | [#placesChanged], [#nodeChanged], [#catalogChanged], [#freed], [#victimsChanged] |
/// | structural denials | [#inventoryChanged], [#catalogChanged] |
final class Changes {
  private long roomVersion;
  private long orderVersion;
  private long placeVersion;
  private boolean structureIsStale = true;

  /// Routes on which a job does not fit even when everything else has ended, with the place version
  /// at which a search found that.
  private final Map<Route, Long> hopeless = new HashMap<>();

  /// Routes on which endless jobs are in the way of a job, with the versions at which a search
  /// found that. Time alone does not end it: it only makes more jobs endless. So does a shorter
  /// `holdAfter`.
  private final Map<Route, Versions> blocked = new HashMap<>();

  /// Routes on which a job's expected start is unknown, likewise.
  private final Map<Route, Versions> unknown = new HashMap<>();

  /// The versions at which a search with this `holdAfter` found something.
  private record Versions(long places, long room, Duration holdAfter) {}

  /// Slices are free again, or will be.
  void freed() {
    roomVersion++;
  }

  /// Other attempts may be victims than before, or other policies may preempt.
  void victimsChanged() {
    roomVersion++;
  }

  /// The order of victims may be another one, though a search that failed would fail again.
  void orderChanged() {
    orderVersion++;
  }

  /// A job fits in other places than before when everything else has ended: a hold is over, or a
  /// node keeps other attempts in memory.
  void placesChanged() {
    placeVersion++;
  }

  /// A node has joined, has left, or takes work or devices that it did not take.
  void nodeChanged() {
    roomVersion++;
    placeVersion++;
  }

  /// A pool has other nodes or devices.
  void inventoryChanged() {
    structureIsStale = true;
  }

  /// A tenant's configuration is another one.
  void catalogChanged() {
    nodeChanged();
    inventoryChanged();
  }

  /// Runs an action after whose reversal within the same pass the remembered searches hold again,
  /// as when a hold is lifted for the length of a round.
  void withoutInvalidation(Runnable action) {
    long before = roomVersion;
    action.run();
    roomVersion = before;
  }

  /// Searches for victims have the same outcome while this number stays.
  long roomVersion() {
    return roomVersion;
  }

  /// Searches for victims go through the same attempts in the same order while this number and
  /// [#roomVersion] stay.
  long orderVersion() {
    return orderVersion;
  }

  /// Whether the structural denials must be found anew.
  boolean structureIsStale() {
    return structureIsStale;
  }

  /// The structural denials have been found anew.
  void structureIsKnown() {
    structureIsStale = false;
  }

  /// A job does not fit on this route even when everything else has ended.
  void setHopeless(Route route) {
    hopeless.put(route, placeVersion);
  }

  /// Endless jobs are in the way of a job on this route.
  void setBlocked(Route route, Duration holdAfter) {
    blocked.put(route, new Versions(placeVersion, roomVersion, holdAfter));
  }

  /// The expected start of a job on this route is unknown.
  void setUnknown(Route route, Duration holdAfter) {
    unknown.put(route, new Versions(placeVersion, roomVersion, holdAfter));
  }

  /// Whether [#setHopeless] or [#setBlocked] was called for the route and still holds.
  boolean isHopeless(Route route, Duration holdAfter) {
    return hopeless.getOrDefault(route, -1L) == placeVersion
        || holds(blocked.get(route), holdAfter);
  }

  /// Whether [#setUnknown] was called for the route and still holds, or no place was found at all.
  boolean hasNoKnownStart(Route route, Duration holdAfter) {
    return isHopeless(route, holdAfter) || holds(unknown.get(route), holdAfter);
  }

  private boolean holds(@Nullable Versions found, Duration holdAfter) {
    return found != null
        && found.places() == placeVersion
        && found.room() == roomVersion
        && holdAfter.compareTo(found.holdAfter()) <= 0;
  }

  /// Drops the hopeless routes: the configuration may have removed their pools.
  void forgetHopeless() {
    hopeless.clear();
    blocked.clear();
    unknown.clear();
  }
}
