package io.headgate.agent.runtime.attempt;

import io.headgate.agent.container.ImageStore;
import io.headgate.agent.core.EndReason;
import io.headgate.agent.core.StopOrder;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.process.SupervisorLauncher;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/// One attempt on its way onto the machine and off it again: as processes, among the machine's
/// files or an image's, or as a pod. Its parent is a supervisor wherever it runs, and all that a
/// supervisor does is the same there. Every call may be repeated after a crash at any moment;
/// confined to the attempt's own threads.
public interface Workload {
  /// Conditions that may change while an attempt is started.
  interface StartConditions {
    /// An order to stop it that came already.
    Optional<StopOrder> stopped();

    /// The last contact with the control plane that is known; 0: none.
    long contactBootMs();

    /// The agent lets go of its attempts.
    boolean isDetached();

    /// Waits, but no longer than until the agent lets go.
    void pause(Duration time);

    /// The start is no longer wanted.
    default boolean isAbandoned() {
      return stopped().isPresent() || isDetached();
    }
  }

  /// Why it ended, when its supervisor cannot say.
  record EndCause(EndReason reason, String problem) {}

  /// The remains of an attempt without a supervisor.
  enum Remainder {
    NOTHING,
    /// It ends as it should, which takes a while.
    LEAVING,
    /// It would not have ended.
    KILLED
  }

  /// Fetches the image or whatever else may take long; takes no slice.
  ///
  /// @throws ImageStore.ImageException when its image is unavailable
  void fetch(StartConditions conditions) throws IOException, InterruptedException;

  /// Makes what its supervisor reads, with the slices made.
  ///
  /// @param contactBootMs the last contact with the control plane
  /// @param traceparent the trace that the job continues; may be empty
  void prepare(List<SlicePlan> plans, long contactBootMs, String traceparent) throws IOException;

  /// Starts its supervisor, at most once ever.
  ///
  /// @throws IOException when it is unknown how it came out
  SupervisorLauncher.Result launch(StartConditions conditions)
      throws IOException, InterruptedException;

  /// The user of its supervisor, if the job runs as this user, too; empty: the agent's user.
  default OptionalInt supervisorUser() throws IOException {
    return OptionalInt.empty();
  }

  /// A stop was ordered; the supervisor receives the order, too.
  default void stopOrdered(StartConditions conditions) {}

  /// The cgroup that its processes are in, which can stand still; empty: there is none.
  default Optional<Path> freezer() {
    return Optional.empty();
  }

  /// Ends what may live without a supervisor; repeated until there is nothing.
  ///
  /// @param killRemains its supervisor did not end by itself
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
