package io.headgate.scheduler.core.job;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Slices kept free for one waiting job: until its victims have left them (P5), or because it was
/// blocked for so long that others no longer pass it (O7).
///
/// @param place where the job will start; no other job gets these slices
/// @param waitsFor the attempts that must leave first: under P5 its victims and those that stop
///   there anyway, under O7 those that are expected to end
/// @param rule under which its victims were asked to stop; absent under O7
/// @param expectedStart under O7, when the attempts in its way are expected to end; absent: unknown
/// @param until under O7, when the hold expires because its expected start is unknown; absent: it
///   is known
public record Hold(
    JobId job,
    Assignment place,
    List<AttemptId> waitsFor,
    Optional<PreemptionRule> rule,
    Optional<Instant> expectedStart,
    Optional<Instant> until,
    Instant since) {
  public Hold {
    waitsFor = List.copyOf(waitsFor);
  }

  /// A hold on the slices that victims leave.
  public static Hold forVictims(
      JobId job, Assignment place, List<AttemptId> victims, PreemptionRule rule, Instant since) {
    return new Hold(
        job, place, victims, Optional.of(rule), Optional.empty(), Optional.empty(), since);
  }

  /// Under O7, the time before which jobs must end that pass it; the expected start, or the end of
  /// the hold.
  public Optional<Instant> passableUntil() {
    return expectedStart.or(() -> until);
  }

  /// Whether its job was blocked for so long that others no longer pass it (O7).
  public boolean isForBlocked() {
    return rule.isEmpty();
  }
}
