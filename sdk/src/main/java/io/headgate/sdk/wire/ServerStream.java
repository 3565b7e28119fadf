package io.headgate.sdk.wire;

import io.grpc.StatusException;
import io.grpc.stub.BlockingClientCall;
import io.headgate.sdk.model.HeadgateException;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// Reads the answers of one streaming call. [#close] from any thread ends a read.
final class ServerStream<R> implements AutoCloseable {
  private final BlockingClientCall<?, R> call;
  private final FailureMessages failures;
  private final String traceId;

  ServerStream(BlockingClientCall<?, R> call, FailureMessages failures, String traceId) {
    this.call = call;
    this.failures = failures;
    this.traceId = traceId;
  }

  /// The next answer; null when the server has ended the stream.
  ///
  /// @throws HeadgateException when the stream broke
  @Nullable R read() {
    try {
      return call.read();
    } catch (StatusException e) {
      throw failures.from(e, traceId);
    } catch (InterruptedException e) {
      throw interrupted();
    } catch (RejectedExecutionException _) {
      throw closed();
    }
  }

  /// As [#read], but a stream without a message for this long counts as broken.
  ///
  /// @throws TimeoutException when no message came
  @Nullable R read(Duration patience) throws TimeoutException {
    try {
      return call.read(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (StatusException e) {
      throw failures.from(e, traceId);
    } catch (InterruptedException e) {
      throw interrupted();
    } catch (RejectedExecutionException _) {
      throw closed();
    }
  }

  /// The connection was closed together with its threads, so the stream has no orderly end.
  private HeadgateException closed() {
    return failures.cutOff("the connection was closed", traceId);
  }

  private HeadgateException interrupted() {
    Thread.currentThread().interrupt();
    close();
    return failures.interrupted(traceId);
  }

  @Override
  public void close() {
    call.cancel("no longer read", null);
  }
}
