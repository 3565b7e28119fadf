package io.headgate.agent.runtime.attempt;

import io.headgate.agent.container.ImageStore;
import io.headgate.agent.core.EndReason;
import io.headgate.agent.core.Rendezvous;
import io.headgate.agent.core.StopOrder;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.process.SupervisorLauncher;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/// Starts and removes one attempt: as processes with the machine's or an image's files, or as a
/// pod.
///
/// A supervisor is its parent in every case, and works in the same way. Every call may be repeated
/// after a crash at any moment. Confined to the attempt's own threads.
public interface Workload {
  /// Conditions that may change while an attempt is started.
  interface StartConditions {
    /// The order to stop it, if one has arrived.
    Optional<StopOrder> stopped();

    /// The last known contact with the control plane, by the boot clock; 0: none.
    long contactBootMs();

    /// Whether the agent is leaving its attempts to their supervisors.
    boolean isDetached();

    /// Waits, at most until the agent leaves its attempts.
    void pause(Duration time);

    /// Whether the start is no longer wanted.
    default boolean isAbandoned() {
      return stopped().isPresent() || isDetached();
    }
  }

  /// The reason of an end that the supervisor does not know.
  record EndCause(EndReason reason, String problem) {}

  /// The remains of an attempt without a supervisor.
  enum Remainder {
    NOTHING,
    /// Processes are left that end by themselves soon.
    LEAVING,
    /// Processes were left that would not have ended, and were killed.
    KILLED
  }

  /// Fetches the image or whatever else may take long; takes no slice.
  ///
  /// @throws ImageStore.ImageException when its image is unavailable
  void fetch(StartConditions conditions) throws IOException, InterruptedException;

  /// Writes the files that its supervisor reads. The slices exist already.
  ///
  /// @param contactBootMs the last contact with the control plane
  /// @param traceparent the trace that the job continues; may be empty
  /// @param rendezvous of its gang; empty: it had no start barrier
  void prepare(
      List<SlicePlan> plans,
      long contactBootMs,
      String traceparent,
      Optional<Rendezvous> rendezvous)
      throws IOException;

  /// Starts its supervisor, at most once ever.
  ///
  /// @throws IOException when the outcome is unknown
  SupervisorLauncher.Result launch(StartConditions conditions)
      throws IOException, InterruptedException;

  /// The user of its supervisor, if the job runs as this user, too; empty: the agent's user.
  default OptionalInt supervisorUser() throws IOException {
    return OptionalInt.empty();
  }

  /// A stop was ordered; the supervisor receives the order, too.
  default void stopOrdered(StartConditions conditions) {}

  /// The cgroup of its processes, which the agent can freeze; empty: there is none.
  default Optional<Path> freezer() {
    return Optional.empty();
  }

  /// Ends processes that live without a supervisor; repeated until none is left.
  ///
  /// @param killRemains whether to kill processes because the supervisor did not end by itself
  Remainder clear(boolean killRemains) throws IOException;

  /// Removes files that must not outlive the attempt.
  void cleanUp() throws IOException;

  /// The reason of an end that its supervisor did not decide.
  ///
  /// @param patience how long to wait for a source that has not answered yet
  default Optional<EndCause> endCause(StartConditions conditions, Duration patience) {
    return Optional.empty();
  }
}
