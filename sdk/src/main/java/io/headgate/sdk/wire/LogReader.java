package io.headgate.sdk.wire;

import com.google.protobuf.ByteString;
import io.headgate.proto.scheduler.v1.JobServiceGrpc;
import io.headgate.proto.scheduler.v1.ReadJobLogsRequest;
import io.headgate.proto.scheduler.v1.ReadJobLogsResponse;
import io.headgate.proto.scheduler.v1.ReadJobLogsResponse.Stream;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.LogPiece;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads the output of one attempt of a job, each byte once, over any number of connections. When
/// the server ends the stream, there is no more output.
public final class LogReader implements AutoCloseable {
  private final Connection connection;
  private final Map<Stream, Long> read = new EnumMap<>(Stream.class);
  private final Object lock = new Object();
  private RetryPolicy patience;
  private ReadJobLogsRequest request;
  private @Nullable ServerStream<ReadJobLogsResponse> stream;
  private boolean closed;
  private boolean renewed;
  private boolean broken;
  private long brokenSinceNanos;

  LogReader(Connection connection, ReadJobLogsRequest request) {
    this.connection = connection;
    this.request = request;
    this.patience = RetryPolicy.withCalls(connection.config());
  }

  /// The next unread piece; null at the end, and after [#close].
  public @Nullable LogPiece next() {
    while (true) {
      try {
        ServerStream<ReadJobLogsResponse> open = opened();
        ReadJobLogsResponse message = open == null ? null : open.read();
        if (message == null) {
          return null;
        }
        broken = false;
        renewed = false;
        patience = RetryPolicy.withStreams(connection.config());
        LogPiece piece = unread(message);
        if (piece != null) {
          return piece;
        }
      } catch (HeadgateException failure) {
        if (isClosed()) {
          return null;
        }
        reopenAfter(failure);
      }
    }
  }

  private @Nullable ServerStream<ReadJobLogsResponse> opened() {
    synchronized (lock) {
      if (closed || stream != null) {
        return stream;
      }
    }
    ServerStream<ReadJobLogsResponse> fresh =
        connection.stream(JobServiceGrpc.getReadJobLogsMethod(), request);
    synchronized (lock) {
      if (closed) {
        fresh.close();
        return null;
      }
      stream = fresh;
      return fresh;
    }
  }

  private boolean isClosed() {
    synchronized (lock) {
      return closed;
    }
  }

  private void reopenAfter(HeadgateException failure) {
    drop();
    if (!renewed && connection.isTokenRefused(failure)) {
      renewed = true;
      return;
    }
    if (!broken) {
      broken = true;
      brokenSinceNanos = System.nanoTime();
    }
    Duration elapsed = Duration.ofNanos(System.nanoTime() - brokenSinceNanos);
    Optional<Duration> pause = patience.pauseAfter(failure, Idempotency.IDEMPOTENT, elapsed);
    connection.pauseBeforeRetry(failure, pause.orElseThrow(() -> failure));
  }

  /// The unread part of a piece. Client and server share only offsets. So a reopened stream begins
  /// at the beginning, and the part that was read is dropped here.
  private @Nullable LogPiece unread(ReadJobLogsResponse message) {
    if (request.getAttempt() != message.getAttempt()) {
      // Pins the attempt, so that a newer one does not replace it, and asks for all of it, because
      // a tail would begin elsewhere.
      request = request.toBuilder().setAttempt(message.getAttempt()).build();
    }
    request = request.toBuilder().clearTailBytes().build();
    long known = read.getOrDefault(message.getStream(), 0L);
    ByteString data = message.getData();
    long end = message.getOffset() + data.size();
    if (end <= known) {
      return null;
    }
    int skipped = (int) Math.max(0, known - message.getOffset());
    read.put(message.getStream(), end);
    return new LogPiece(
        message.getStream() == Stream.STREAM_STDERR,
        data.substring(skipped).toByteArray(),
        message.getAttempt(),
        message.getOffset() + skipped,
        message.getGap() && message.getOffset() >= known);
  }

  private void drop() {
    synchronized (lock) {
      if (stream != null) {
        stream.close();
        stream = null;
      }
    }
  }

  @Override
  public void close() {
    synchronized (lock) {
      closed = true;
    }
    drop();
  }
}
