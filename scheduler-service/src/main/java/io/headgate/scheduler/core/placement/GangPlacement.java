package io.headgate.scheduler.core.placement;

import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.WorkerPlace;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Places the workers of a job on as few nodes as possible: the nodes with the most room first, and
/// for the rest the one with the least room that suffices.
///
/// 10 workers, nodes with room for 8, 4, 4 and 3: 8 go to the first; the remaining 2 to the one
/// with room for 3.
public final class GangPlacement {
  /// Nodes with room for `workers` workers each. Equal sites differ in their first node.
  ///
  /// @param count of the rooms
  private record Site(
      int workers, Rating rating, NodeState first, int count, Iterator<Room> rooms) {}

  private static final Comparator<Site> ROOMIEST_FIRST =
      Comparator.comparingInt(Site::workers)
          .reversed()
          .thenComparingDouble(site -> site.rating().cost())
          .thenComparingLong(site -> site.rating().tie())
          .thenComparing(Site::first);

  private GangPlacement() {}

  /// Places all workers of the shape; only when they fit.
  ///
  /// @param rooms replaces the present free capacity of some nodes of the pool that take work, or
  ///   will once they have reported
  public static Assignment place(PoolState pool, Shape shape, Map<NodeState, Room> rooms) {
    return fill(pool, shape, sites(pool, shape, rooms), new HashMap<>());
  }

  /// Takes places for all workers of the shape; empty: they do not fit, and the rooms are as
  /// before.
  ///
  /// @param rooms as for [#place]; gets the rooms without the places
  public static Optional<Assignment> take(PoolState pool, Shape shape, Map<NodeState, Room> rooms) {
    List<Site> sites = sites(pool, shape, rooms);
    long workers = 0;
    for (Site site : sites) {
      workers += (long) site.workers() * site.count();
    }
    return workers < shape.workers()
        ? Optional.empty()
        : Optional.of(fill(pool, shape, sites, rooms));
  }

  private static List<Site> sites(PoolState pool, Shape shape, Map<NodeState, Room> rooms) {
    List<Site> sites = new ArrayList<>();
    for (StateGroup group : pool.groups()) {
      if (group.state().workers(shape) > 0) {
        addGroup(sites, pool, shape, group, rooms);
      }
    }
    for (Room room : rooms.values()) {
      int workers = room.workers(shape);
      if (workers > 0 && room.node().willTakeWork()) {
        sites.add(
            new Site(
                workers,
                pool.rater().rate(shape, room.state()),
                room.node(),
                1,
                List.of(room).iterator()));
      }
    }
    sites.sort(ROOMIEST_FIRST);
    return sites;
  }

  private static void addGroup(
      List<Site> sites, PoolState pool, Shape shape, StateGroup group, Map<NodeState, Room> rooms) {
    int workers = group.state().workers(shape);
    // No more nodes of one state can be needed than the job has workers.
    List<Room> own = new ArrayList<>();
    for (NodeState node : group.nodes()) {
      if (own.size() * (long) workers >= shape.workers()) {
        break;
      }
      if (!rooms.containsKey(node)) {
        own.add(Room.now(node));
      }
    }
    if (!own.isEmpty()) {
      sites.add(
          new Site(
              workers,
              pool.rater().rate(shape, group.state()),
              own.getFirst().node(),
              own.size(),
              own.iterator()));
    }
  }

  /// @param used gets the rooms of the places
  private static Assignment fill(
      PoolState pool, Shape shape, List<Site> sites, Map<NodeState, Room> used) {
    List<WorkerPlace> places = new ArrayList<>();
    int missing = shape.workers();
    int next = 0;
    while (missing > 0) {
      while (next < sites.size() && !sites.get(next).rooms().hasNext()) {
        next++;
      }
      if (next == sites.size()) {
        throw new IllegalStateException(shape + " does not fit in " + pool.id());
      }
      Site site =
          sites.get(next).workers() < missing
              ? sites.get(next)
              : leastThatSuffices(sites, next, missing);
      Room room = site.rooms().next();
      used.put(room.node(), room);
      for (int i = Math.min(missing, site.workers()); i > 0; i--) {
        places.add(room.take(shape, pool.rater()).orElseThrow());
        missing--;
      }
    }
    return new Assignment(pool.id(), places);
  }

  /// The best of the sites with the least room that is enough, from the given one on.
  private static Site leastThatSuffices(List<Site> sites, int from, int missing) {
    Site best = sites.get(from);
    for (int i = from; i < sites.size() && sites.get(i).workers() >= missing; i++) {
      Site site = sites.get(i);
      if (site.workers() < best.workers() && site.rooms().hasNext()) {
        best = site;
      }
    }
    return best;
  }
}
