package io.headgate.sdk.wire;

import io.headgate.proto.scheduler.v1.JobServiceGrpc;
import io.headgate.proto.scheduler.v1.WatchJobsRequest;
import io.headgate.proto.scheduler.v1.WatchJobsResponse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Follows jobs by version, over any number of connections.
public final class JobWatch implements AutoCloseable {
  /// The server sends a heartbeat every few seconds.
  private static final Duration SILENCE = Duration.ofSeconds(60);

  private final ResumingStream<WatchJobsResponse> stream;
  private long version;
  private String visibilityHash = "";
  private boolean inSnapshot;

  JobWatch(Connection connection, WatchJobsRequest request) {
    this.version = request.getVersion();
    this.stream =
        new ResumingStream<>(
            connection,
            SILENCE,
            () ->
                connection.stream(
                    JobServiceGrpc.getWatchJobsMethod(),
                    request.toBuilder()
                        .setVersion(version)
                        .setVisibilityHash(visibilityHash)
                        .build()));
  }

  /// The next step; null after [#close].
  public @Nullable WatchJobsResponse next() {
    WatchJobsResponse step = stream.next();
    if (step != null) {
      inSnapshot = (inSnapshot || step.getSnapshot()) && !step.getSnapshotComplete();
      if (!inSnapshot) {
        // A broken snapshot begins again, because half of one has no version to resume from.
        version = step.getVersion();
        visibilityHash = step.getVisibilityHash();
      }
    }
    return step;
  }

  @Override
  public void close() {
    stream.close();
  }
}
