package io.headgate.deploy.simulate;

import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.simulation.JsonLines;
import io.headgate.sdk.cli.output.PlaceText;
import io.headgate.sdk.cli.output.TimeText;
import io.headgate.sdk.model.Placement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Pieces of sentences about simulations.
final class Words {
  private Words() {}

  /// `a-0:0-2`, `a-0:3 (1/2)`, `a-0:3 (3/8, 3g@4)`, `a-0:0-7 a-1:0-7`, `c-0` for a job without GPU.
  static String place(Assignment place) {
    return PlaceText.of(placements(place));
  }

  /// A place as the client knows places.
  static List<Placement> placements(Assignment place) {
    List<Placement> placements = new ArrayList<>();
    for (WorkerPlace worker : place.workers()) {
      placements.add(
          new Placement(
              placements.size(),
              worker.node().name(),
              worker.slices().stream()
                  .map(slice ->
                      new Placement.Slice(
                          slice.device(),
                          slice.uuid(),
                          slice.quantity(),
                          slice.memoryBytes(),
                          null,
                          slice
                              .placement()
                              .map(each ->
                                  new Placement.Place(
                                      each.profile(), each.start(), each.size(), each.gives()))
                              .orElse(null)))
                  .toList()));
    }
    return placements;
  }

  /// For people: `12.5s`, `1h30m`.
  static String span(long ms) {
    return ms < 60_000 ? time(ms) : TimeText.span(Duration.ofMillis(ms));
  }

  static String time(long ms) {
    return JsonLines.time(ms);
  }
}
