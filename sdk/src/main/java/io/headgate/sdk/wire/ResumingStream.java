package io.headgate.sdk.wire;

import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.StatusCode;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A stream that outlives its connection. When it breaks or falls silent, it is opened again at the
/// reader's position. It ends only by [#close], or by a failure that reopening cannot mend.
///
/// One thread reads; any thread may close.
final class ResumingStream<R> implements AutoCloseable {
  private final Connection connection;
  private final Supplier<ServerStream<R>> opener;
  private final Duration silence;
  private final Object lock = new Object();
  private @Nullable ServerStream<R> current;
  private boolean closed;

  // Only the reading thread uses it.
  private RetryPolicy patience;
  private boolean heard; // A message has arrived since the stream was opened.
  private boolean renewed; // The token was renewed since the last message.
  private long brokenSinceNanos;
  private boolean broken;

  /// A stream over a connection.
  ///
  /// @param opener opens the stream at the reader's position
  /// @param silence a stream without a message for this long counts as broken
  ResumingStream(Connection connection, Duration silence, Supplier<ServerStream<R>> opener) {
    this.connection = connection;
    this.opener = opener;
    this.silence = silence;
    this.patience = RetryPolicy.withCalls(connection.config());
  }

  /// The next message; null after [#close].
  ///
  /// @throws HeadgateException when reopening cannot help, or did not help within the deadline
  @Nullable R next() {
    while (true) {
      try {
        ServerStream<R> stream = opened();
        if (stream == null) {
          return null;
        }
        R message = stream.read(silence);
        if (message != null) {
          heard = true;
          renewed = false;
          broken = false;
          patience = RetryPolicy.withStreams(connection.config());
          return message;
        }
        reopenAfter(connection.cutOff("the server ended the stream"));
      } catch (TimeoutException e) {
        reopenAfter(connection.cutOff("the server sent nothing for " + silence.toSeconds() + " s"));
      } catch (HeadgateException failure) {
        reopenAfter(failure);
      }
    }
  }

  private void reopenAfter(HeadgateException failure) {
    drop();
    if (isClosed()) {
      return;
    }
    boolean worth = RetryPolicy.isRetriable(failure) || (heard && isCutOff(failure));
    heard = false;
    if (!worth) {
      if (!renewed && connection.isTokenRefused(failure)) {
        renewed = true;
        return;
      }
      throw failure;
    }
    if (!broken) {
      broken = true;
      brokenSinceNanos = System.nanoTime();
    }
    Optional<Duration> pause =
        patience.pause(failure, Duration.ofNanos(System.nanoTime() - brokenSinceNanos));
    connection.pauseBeforeRetry(failure, pause.orElseThrow(() -> failure));
  }

  /// A reset of a running stream is no refusal of the request.
  private static boolean isCutOff(HeadgateException failure) {
    return !FailureMessages.isAnswered(failure)
        && switch (failure.code()) {
          case CANCELLED, UNKNOWN, INTERNAL, DEADLINE_EXCEEDED -> true;
          default -> failure.code() == StatusCode.UNAVAILABLE;
        };
  }

  private @Nullable ServerStream<R> opened() {
    ServerStream<R> stream = existing();
    if (stream != null || isClosed()) {
      return stream;
    }
    ServerStream<R> fresh = opener.get(); // Outside the lock, because it may fetch a token.
    synchronized (lock) {
      if (closed) {
        fresh.close();
        return null;
      }
      current = fresh;
      return fresh;
    }
  }

  private @Nullable ServerStream<R> existing() {
    synchronized (lock) {
      return current;
    }
  }

  private boolean isClosed() {
    synchronized (lock) {
      return closed;
    }
  }

  private void drop() {
    synchronized (lock) {
      if (current != null) {
        current.close();
        current = null;
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
