package io.headgate.agent.runtime;

import io.headgate.agent.driver.GpuDriver;
import io.headgate.kit.time.TimeSource;

/// What every attempt on this machine shares.
///
/// @param runtime where they run
record Machine(
    Ledger ledger,
    GpuDriver driver,
    WorkloadRuntime runtime,
    MemoryWatch watch,
    DeviceWatch devices,
    ProgressWatch progress,
    AgentInstruments instruments,
    TimeSource time) {}
