package io.headgate.agent.runtime;

import io.headgate.agent.container.Containers;
import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.process.Cgroups;
import io.headgate.agent.process.JobProcesses;
import io.headgate.agent.process.SupervisorLauncher;
import io.headgate.agent.process.SupervisorSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Optional;

/// The machine itself: attempts are its processes.
///
/// @param containers empty: it runs no jobs with an image
/// @param checkpoints root of the jobs' checkpoint directories; may be shared by machines
record HostRuntime(
    Ledger ledger,
    GpuDriver driver,
    SupervisorLauncher launcher,
    Cgroups cgroups,
    JobWalls walls,
    Optional<Containers> containers,
    Path checkpoints,
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
    return containers.isPresent();
  }

  @Override
  public void recover(Collection<AttemptKey> live) throws IOException {
    if (containers.isPresent()) {
      containers.get().recover(live);
    }
  }

  @Override
  public void close() {
    cgroups.removeIfEmpty();
    walls.close();
  }
}
