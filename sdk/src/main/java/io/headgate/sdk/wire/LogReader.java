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
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/// Reads what one attempt of a job printed, each byte once, over any number of connections. The
/// server ends the stream when there is no more; that end is an end.
public final class LogReader implements AutoCloseable {
  private final Connection connection;
  private final Patience patience;
  private final Map<Stream, Long> read = new EnumMap<>(Stream.class);
  private ReadJobLogsRequest request;
  private ServerStream<ReadJobLogsResponse> stream;
  private boolean renewed;
  private boolean broken;
  private long brokenSinceNanos;

  LogReader(Connection connection, ReadJobLogsRequest request) {
    this.connection = connection;
    this.request = request;
    this.patience = new Patience(connection.config(), ThreadLocalRandom.current());
    this.stream = open();
  }

  private ServerStream<ReadJobLogsResponse> open() {
    return connection.stream(JobServiceGrpc.getReadJobLogsMethod(), request);
  }

  /// The next piece that was not read before; null at the end.
  public @Nullable LogPiece next() {
    while (true) {
      try {
        ReadJobLogsResponse message = stream.read();
        if (message == null) {
          return null;
        }
        broken = false;
        renewed = false;
        patience.restore();
        LogPiece piece = unread(message);
        if (piece != null) {
          return piece;
        }
      } catch (HeadgateException failure) {
        reopenAfter(failure);
      }
    }
  }

  private void reopenAfter(HeadgateException failure) {
    stream.close();
    if (!renewed && connection.isTokenRefused(failure)) {
      renewed = true;
    } else {
      if (!broken) {
        broken = true;
        brokenSinceNanos = System.nanoTime();
      }
      Duration elapsed = Duration.ofNanos(System.nanoTime() - brokenSinceNanos);
      Optional<Duration> pause = patience.pauseAfter(failure, Safety.REPEATABLE, elapsed);
      connection.pauseBeforeRetry(failure, pause.orElseThrow(() -> failure));
    }
    stream = open();
  }

  /// The part of a piece that is new. Offsets are the only memory that both sides share, so a
  /// reopened stream begins at the beginning and what was read is dropped here.
  private @Nullable LogPiece unread(ReadJobLogsResponse message) {
    if (request.getAttempt() != message.getAttempt()) {
      // From now on it is this attempt, even if another has begun meanwhile; all of it, since a
      // tail
      // would begin elsewhere.
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

  @Override
  public void close() {
    stream.close();
  }
}
