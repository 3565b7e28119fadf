package io.headgate.agent.runtime.attempt;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.process.JobProcesses;
import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.Optional;

/// Where the attempts of this machine run. There are two: the machine itself, and the pods of a
/// Kubernetes node.
public interface WorkloadRuntime extends Closeable {
  Workload of(Assignment assignment);

  /// Tells to which attempt a process belongs.
  JobProcesses processes();

  /// Where the jobs' checkpoint directories are.
  CheckpointRoots checkpoints();

  /// Whether it runs jobs with an image now.
  boolean runsImages();

  /// Which files of the machine its jobs see; empty: those of another one.
  default Optional<VisibleFiles> visibleFiles() {
    return Optional.empty();
  }

  /// Called once, before anything is made: removes the leftovers of all other attempts.
  void recover(Collection<AttemptKey> live) throws IOException;
}
