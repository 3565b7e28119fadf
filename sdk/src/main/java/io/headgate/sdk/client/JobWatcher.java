package io.headgate.sdk.client;

import io.headgate.proto.scheduler.v1.WatchJobsResponse;
import io.headgate.sdk.model.JobChange;
import io.headgate.sdk.wire.JobMessages;
import io.headgate.sdk.wire.JobWatch;
import io.headgate.sdk.wire.ResourceNames;
import org.jspecify.annotations.Nullable;

/// Changes of jobs, in order, over any number of connections. One thread reads; any thread may
/// close.
public final class JobWatcher implements AutoCloseable {
  private final JobWatch watch;
  private boolean inSnapshot;

  JobWatcher(JobWatch watch) {
    this.watch = watch;
  }

  /// The next step, possibly a heartbeat without changes; null after [#close].
  public @Nullable JobChange next() {
    WatchJobsResponse step = watch.next();
    if (step == null) {
      return null;
    }
    inSnapshot = (inSnapshot || step.getSnapshot()) && !step.getSnapshotComplete();
    return new JobChange(
        step.getVersion(),
        step.getSnapshot(),
        step.getJobsList().stream().map(JobMessages::job).toList(),
        step.getRemovedJobsList().stream().map(ResourceNames::id).toList(),
        !inSnapshot);
  }

  @Override
  public void close() {
    watch.close();
  }
}
