package io.headgate.agent.runtime.host;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.process.Cgroups;
import io.headgate.agent.process.JobProcesses;
import io.headgate.agent.process.SupervisorLauncher;
import io.headgate.agent.process.SupervisorSpec;
import io.headgate.agent.runtime.attempt.CheckpointRoots;
import io.headgate.agent.runtime.attempt.VisibleFiles;
import io.headgate.agent.runtime.attempt.Workload;
import io.headgate.agent.runtime.attempt.WorkloadRuntime;
import io.headgate.agent.runtime.ledger.AttemptLedger;
import java.io.IOException;
import java.util.Collection;
import java.util.Optional;

/// The machine itself: attempts are its processes.
///
/// @param containers for jobs with an image
/// @param checkpoints roots of the jobs' checkpoint directories; may be shared by machines
public record HostRuntime(
    AttemptLedger ledger,
    GpuDriver driver,
    SupervisorLauncher launcher,
    Cgroups cgroups,
    JobWalls walls,
    JobDisk disk,
    ContainerSupply containers,
    CheckpointRoots checkpoints,
    SupervisorSpec.Logs logs)
    implements WorkloadRuntime {

  @Override
  public Workload of(Assignment assignment) {
    return new HostWorkload(this, assignment);
  }

  @Override
  public JobProcesses processes() {
    return JobProcesses.ofMachine(cgroups, ledger.attempts());
  }

  @Override
  public boolean runsImages() {
    return containers.areThere();
  }

  @Override
  public Optional<VisibleFiles> visibleFiles() {
    return Optional.of(walls.visibleFiles(ledger.data(), checkpoints.all()));
  }

  @Override
  public void recover(Collection<AttemptKey> live) throws IOException {
    containers.recover(live);
  }

  @Override
  public void close() {
    containers.close();
    cgroups.removeIfEmpty();
    walls.close();
  }
}
