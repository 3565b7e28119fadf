package io.headgate.agent.runtime.attempt;

import io.headgate.agent.core.Assignment;
import io.headgate.agent.core.AttemptKey;
import io.headgate.agent.driver.GpuDriver;
import io.headgate.agent.runtime.ledger.AttemptLedger;
import io.headgate.agent.runtime.output.OutputExport;
import io.headgate.agent.runtime.telemetry.AgentInstruments;
import io.headgate.agent.runtime.watch.DeviceWatch;
import io.headgate.agent.runtime.watch.JobMeter;
import io.headgate.agent.runtime.watch.MemoryWatch;
import io.headgate.agent.runtime.watch.ProgressWatch;
import io.headgate.agent.runtime.watch.UseWatch;
import io.headgate.kit.time.TimeSource;
import io.headgate.type.ImageRules;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// The services that all attempts on this machine share.
///
/// @param runtime where they run
/// @param images which may run
/// @param gangs how workers of gangs reach each other
/// @param output sends what jobs print; empty: it stays on this machine
public record AttemptContext(
    AttemptLedger ledger,
    GpuDriver driver,
    WorkloadRuntime runtime,
    MainMemory memory,
    ImageRules images,
    MemoryWatch watch,
    DeviceWatch devices,
    ProgressWatch progress,
    JobMeter jobs,
    UseWatch uses,
    GangNetwork gangs,
    Optional<OutputExport> output,
    AgentInstruments instruments,
    TimeSource time) {
  /// An attempt was started, or found again.
  ///
  /// @param directory its supervisor's
  void began(Assignment assignment, Path directory) throws IOException {
    jobs.began(assignment);
    uses.began(assignment.key(), ledger.slices(assignment.key()));
    output.ifPresent(to -> to.follow(assignment));
    if (assignment.key().worker() == 0) {
      progress.follow(assignment.key(), directory);
    }
  }

  /// None of an attempt's processes runs any more.
  void ended(AttemptKey key) {
    progress.ended(key);
    output.ifPresent(to -> to.ended(key));
  }
}
