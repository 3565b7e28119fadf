package io.headgate.agent.runtime;

import io.headgate.agent.container.Containers;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.process.Cgroups;
import io.headgate.agent.process.SupervisorLauncher;
import io.headgate.agent.process.SupervisorSpec;
import io.headgate.kit.time.TimeSource;
import java.nio.file.Path;
import java.util.Optional;

/// What every attempt on this machine shares.
///
/// @param containers empty: it runs no jobs with an image
/// @param checkpoints root of the jobs' checkpoint directories; may be shared by machines
record Machine(
    Ledger ledger,
    GpuDriver driver,
    SupervisorLauncher launcher,
    Cgroups cgroups,
    JobWalls walls,
    Optional<Containers> containers,
    Path checkpoints,
    SupervisorSpec.Logs logs,
    MemoryWatch.Settings watch,
    DeviceWatch devices,
    ProgressWatch progress,
    AgentInstruments instruments,
    TimeSource time) {}
