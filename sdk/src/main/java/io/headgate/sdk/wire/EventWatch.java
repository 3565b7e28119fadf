package io.headgate.sdk.wire;

import io.headgate.proto.scheduler.v1.JobServiceGrpc;
import io.headgate.proto.scheduler.v1.WatchEventsRequest;
import io.headgate.proto.scheduler.v1.WatchEventsResponse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Follows events by version, over any number of connections.
public final class EventWatch implements AutoCloseable {
  private static final Duration SILENCE = Duration.ofSeconds(60);

  private final ResumingStream<WatchEventsResponse> stream;
  private long version;

  EventWatch(Connection connection, WatchEventsRequest request) {
    this.version = request.getVersion();
    this.stream =
        new ResumingStream<>(
            connection,
            SILENCE,
            () ->
                connection.stream(
                    JobServiceGrpc.getWatchEventsMethod(),
                    request.toBuilder().setVersion(version).build()));
  }

  /// The next step; null after [#close].
  public @Nullable WatchEventsResponse next() {
    WatchEventsResponse step = stream.next();
    if (step != null) {
      version = step.getVersion();
    }
    return step;
  }

  @Override
  public void close() {
    stream.close();
  }
}
