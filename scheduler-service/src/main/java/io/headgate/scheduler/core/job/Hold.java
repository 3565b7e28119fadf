package io.headgate.scheduler.core.job;

import java.time.Instant;
import java.util.List;

/// Slices kept free for one waiting job until its victims have left them (DESIGN P5).
///
/// @param place where the job will start; nobody else gets these slices
/// @param victims the attempts that have to leave first: those that were asked to stop for it, and
///   those that were stopping anyway
public record Hold(
    JobId job, Assignment place, List<AttemptId> victims, PreemptionRule rule, Instant since) {
  public Hold {
    victims = List.copyOf(victims);
  }
}
