package io.headgate.scheduler.core;

import io.headgate.scheduler.core.preemption.HoldSearch;
import io.headgate.scheduler.core.queue.Ends;
import io.headgate.scheduler.core.queue.Route;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The searches for places to hold (O7). On a full cluster many jobs in turn ask the same question,
/// so the last answer for each route is remembered while nothing that it rests on changes.
final class HoldSearches {
  /// The facts that an answer rests on.
  ///
  /// @param ends what the job expects of running attempts
  /// @param nodes version of the pool's nodes
  /// @param attempts version of the attempts there
  /// @param rooms what the limits of the levels above leave
  private record Basis(Ends ends, long nodes, long attempts, List<Long> rooms) {}

  private record Answer(Basis basis, HoldSearch.Outcome outcome) {}

  private final World world;
  private final Map<Route, Answer> answers = new HashMap<>();

  HoldSearches(World world) {
    this.world = world;
  }

  /// Looks for the place where a job of the route will fit first.
  HoldSearch.Outcome search(Route route, Ends ends) {
    Basis basis =
        new Basis(
            ends,
            route.pool().version(),
            world.ends.version(route.pool()),
            route.upper().roomInLimits());
    Answer known = answers.get(route);
    if (known == null || !known.basis().equals(basis)) {
      HoldSearch.Outcome outcome =
          HoldSearch.search(route, world.ends.expect(route.pool(), ends), ends.now());
      known = new Answer(basis, outcome);
      answers.put(route, known);
    }
    return known.outcome();
  }

  /// Drops all answers: the configuration may have removed their pools.
  void forget() {
    answers.clear();
  }
}
