package io.headgate.agent.core;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// An input of the reconciler. Each may come late, twice, and after a restart of the agent.
public sealed interface Input {
  /// A session with the control plane was opened.
  record Welcomed(Leadership leadership) implements Input {}

  /// Run an attempt.
  record Assigned(Leadership leadership, Assignment assignment, Instant now) implements Input {}

  /// An assignment that cannot be understood.
  record Malformed(
      Leadership leadership, AttemptKey key, EndReason reason, String problem, Instant now)
      implements Input {}

  /// Stop an attempt.
  record StopOrdered(Leadership leadership, AttemptKey key, StopOrder order, Instant now)
      implements Input {}

  /// All workers of a gang are prepared: start the program.
  record GoOrdered(Leadership leadership, AttemptKey key, Rendezvous rendezvous, Instant now)
      implements Input {}

  /// The worker of a gang is ready to start.
  record Prepared(AttemptKey key, WorkerAddress address) implements Input {}

  /// Resume a suspended attempt.
  record ResumeOrdered(Leadership leadership, AttemptKey key, Instant now) implements Input {}

  /// The attempt is suspended, as the order with this number says.
  ///
  /// @param took how long that took
  record Suspended(AttemptKey key, long suspension, Duration took) implements Input {}

  /// It could not be suspended, and is stopped.
  ///
  /// @param result skipped, where that is not done at all
  /// @param problem one sentence
  record NotSuspended(AttemptKey key, StopStep.Result result, Duration took, String problem)
      implements Input {}

  /// The attempt has resumed.
  record Resumed(AttemptKey key) implements Input {}

  /// The attempt could not resume, and must be stopped.
  ///
  /// @param problem one sentence
  record NotResumed(AttemptKey key, String problem) implements Input {}

  /// The record of an ended attempt is no longer needed.
  record Forgotten(AttemptKey key) implements Input {}

  /// An attempt has more than its slices.
  ///
  /// @param problem one sentence
  record OverLimit(AttemptKey key, String problem) implements Input {}

  /// A device is no longer as it was.
  ///
  /// @param uuid of the device
  record DeviceJudged(String uuid, DeviceCondition condition) implements Input {}

  /// The agent closes down and takes its jobs with it.
  record ShutdownOrdered() implements Input {}

  /// A supervisor has recorded something.
  ///
  /// @param cause of an end that neither it nor the scheduler wanted; empty: none is known
  record Observed(AttemptKey key, Observation observation, Optional<String> cause)
      implements Input {}

  /// The program was not started, and will not be.
  record NotStarted(AttemptKey key, EndReason reason, String problem, Instant now)
      implements Input {}

  /// The supervisor is gone without having recorded an end.
  ///
  /// @param problem one sentence
  record Vanished(AttemptKey key, EndReason reason, String problem, Instant now) implements Input {}

  /// Nothing of the attempt is left and its slices are free.
  ///
  /// @param took how long the clean-up took
  record Released(AttemptKey key, Duration took) implements Input {}

  /// The content of the ledger at the agent's start; always the first input.
  record Recovered(LeadershipHistory history, List<Found> attempts) implements Input {
    public Recovered {
      attempts = List.copyOf(attempts);
    }

    /// UUIDs of the devices of attempts that may live, whether their slices are made already or
    /// not.
    public SortedSet<String> heldDevices() {
      return attempts.stream()
          .filter(found -> found.end().isEmpty() && found.sameBoot() && found.suspension() == 0)
          .flatMap(found -> found.assignment().stream())
          .flatMap(assignment -> assignment.slices().stream())
          .map(SliceGrant::deviceUuid)
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  /// One attempt that the ledger held.
  ///
  /// @param assignment empty: it was never to run here
  /// @param sameBoot whether the machine has not been restarted since
  /// @param end present if it had ended for good
  /// @param suspension the order by which it is suspended; 0: it is not
  /// @param lastSeen the last record of its supervisor, for an attempt of an earlier boot, and for
  ///   one whose resumption the agent must finish
  record Found(
      AttemptKey key,
      Optional<Assignment> assignment,
      boolean sameBoot,
      long suspension,
      Optional<AttemptReport> end,
      Optional<Observation> lastSeen,
      Instant now) {}
}
