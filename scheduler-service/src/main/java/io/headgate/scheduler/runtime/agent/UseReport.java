package io.headgate.scheduler.runtime.agent;

import io.headgate.scheduler.runtime.record.SliceUse;
import io.headgate.scheduler.runtime.record.WorkerName;

/// The use that one attempt's worker makes of its slices, as its agent measures it.
public record UseReport(WorkerName worker, SliceUse use) {}
