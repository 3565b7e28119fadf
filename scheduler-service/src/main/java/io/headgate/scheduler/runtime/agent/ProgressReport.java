package io.headgate.scheduler.runtime.agent;

import io.headgate.scheduler.runtime.record.WorkerName;
import java.time.Duration;
import java.util.OptionalInt;

/// The progress that one attempt's worker reports of itself, as the agent relays it.
///
/// @param permyriad completed part of the work, 0 to 10,000; empty: not reported
/// @param message in the program's own words; empty: none
/// @param checkpointMark tells the last checkpoint from earlier ones; 0: none was reported
/// @param checkpointAge since the agent noticed that checkpoint, by the machine's own clock
public record ProgressReport(
    WorkerName worker,
    OptionalInt permyriad,
    String message,
    long checkpointMark,
    Duration checkpointAge) {}
