package io.headgate.scheduler.runtime.agent;

import io.headgate.scheduler.runtime.record.JobName;
import io.headgate.scheduler.runtime.record.WorkerFacts.EndReason;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// How one attempt's worker stands on its machine, as the agent says.
///
/// @param uid [JobRecord#uid], as the agent was told; empty: it was not, and the name alone counts
/// @param endReason present exactly when ENDED
/// @param error in one sentence; empty: nothing went wrong
/// @param phase of a stop that began or ended
/// @param suspension the order by which it is SUSPENDED; 0: it is not
/// @param address where the other workers of its gang reach it; empty: it is not prepared
public record AgentReport(
    JobName job,
    String uid,
    int attempt,
    int worker,
    State state,
    Optional<EndReason> endReason,
    Optional<Integer> exitCode,
    String error,
    Optional<Instant> startedAt,
    Optional<Instant> endedAt,
    Optional<StopPhase> phase,
    long suspension,
    Optional<WorkerAddress> address) {

  /// How a worker stands.
  public enum State {
    /// Recorded on the machine; the program does not run yet.
    STARTING,
    RUNNING,
    STOPPING,
    /// It stands still in main memory, and its slices are free.
    SUSPENDED,
    /// Nothing of it is left on the machine, and its slices are free.
    ENDED
  }

  /// A phase of a stop.
  ///
  /// @param name suspend, callback, term, kill or cleanup
  /// @param result ok, failed, timed-out or skipped; empty: the phase still runs
  public record StopPhase(String name, String result, Optional<Duration> took) {}
}
