package io.headgate.scheduler.runtime.agent;

import io.headgate.scheduler.runtime.record.WorkerName;
import java.time.Duration;
import java.util.OptionalInt;

/// What one attempt's worker says of itself, as the agent passes it on.
///
/// @param permyriad part of its work that is done, 0 to 10,000; empty: it has not said
/// @param message in its own words; empty: none
/// @param checkpointMark tells its last checkpoint from those before; 0: it has told of none
/// @param checkpointAge since the agent noticed that checkpoint, by the machine's own clock
public record ProgressReport(
    WorkerName worker,
    OptionalInt permyriad,
    String message,
    long checkpointMark,
    Duration checkpointAge) {}
