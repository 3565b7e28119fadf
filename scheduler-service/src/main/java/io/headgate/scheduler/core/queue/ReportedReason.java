package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.explain.Reason;
import org.jspecify.annotations.Nullable;

/// The last reported block of a lane and its reason; null: nothing was reported.
public record ReportedReason(Block block, @Nullable Reason reason) {
  static final ReportedReason NOTHING = new ReportedReason(Block.NONE, null);
}
