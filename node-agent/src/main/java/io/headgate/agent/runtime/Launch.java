package io.headgate.agent.runtime;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.core.JobEnvironment;
import io.headgate.agent.driver.SlicePlan;
import io.headgate.agent.process.Cgroups;
import io.headgate.agent.process.SupervisorSpec;
import io.headgate.agent.process.Walls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The directories and files of an attempt: made before its start, cleaned up after its end.
///
/// @param directory the attempt's
record Launch(Machine machine, Assignment assignment, Path directory) {
  private static final Logger LOG = LoggerFactory.getLogger(Launch.class);

  /// Makes what the supervisor needs. May be repeated.
  ///
  /// @param contactBootMs the last contact with the control plane
  /// @param traceparent the trace that the job continues; may be empty
  void prepare(List<SlicePlan> plans, long contactBootMs, String traceparent) throws IOException {
    AttemptKey key = assignment.key();
    Path work = directory.resolve("work");
    Path temporary = directory.resolve("tmp");
    Path checkpoints = machine.checkpoints().resolve(key.job().tenant()).resolve(key.job().id());
    Files.createDirectories(work);
    Files.createDirectories(temporary);
    Files.createDirectories(checkpoints);
    Path runsIn = assignment.workingDirectory().map(Path::of).orElse(work);
    JobEnvironment.Places places =
        new JobEnvironment.Places(runsIn.toString(), temporary.toString(), checkpoints.toString());
    JobEnvironment.Gpus gpus =
        new JobEnvironment.Gpus(
            machine.driver().environment(plans),
            plans.stream().mapToLong(SlicePlan::memoryLimitBytes).min().orElse(0),
            machine.driver().isSimulated() && !plans.isEmpty());
    Assignment.SelfStop selfStop = assignment.selfStop();
    new SupervisorSpec(
            assignment.command(),
            JobEnvironment.of(assignment, places, gpus, traceparent),
            assignment.abortCallback().command(),
            runsIn,
            machine.cgroups().make(key.directoryName()),
            machine.ledger().bootId(),
            Walls.NONE,
            new SupervisorSpec.Limits(
                assignment.timeLimit(),
                selfStop.after(),
                contactBootMs,
                assignment.abortCallback().timeout(),
                selfStop.callback(),
                selfStop.grace()),
            machine.logs())
        .writeTo(directory);
  }

  /// Removes what nobody may find after the attempt: its private temporary files and its cgroup.
  void cleanUp() throws IOException {
    try {
      Trees.delete(directory.resolve("tmp"));
    } catch (IOException e) {
      // Its slice is not held back for that; the files go with the rest of the directory.
      LOG.warn("temporary files of {} are left: {}", assignment.key(), e.toString());
    }
    Files.deleteIfExists(directory.resolve("reserve"));
    Optional<Path> cgroup = machine.cgroups().of(assignment.key().directoryName());
    if (cgroup.isPresent()) {
      Cgroups.killAndRemove(cgroup.get());
    }
  }
}
