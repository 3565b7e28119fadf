package io.headgate.kit.grpc;

import com.google.protobuf.Message;
import io.grpc.Context;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCall.Listener;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.headgate.kit.lifecycle.HeavyThreads;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// Moves unary calls with a large request to a few threads of their own, one event after the other.
/// Such a request takes the processor for long, and a virtual thread gives it up to no other. So a
/// few of them on the common threads would let all other calls wait.
///
/// The [threads][HeavyThreads] are half as many as there are processors.
final class LargeRequests implements ServerInterceptor, AutoCloseable {
  /// Smaller requests stay where they are.
  static final int LARGE_BYTES = 64 << 10;

  private static final Context.Key<Executor> THREADS = Context.key("large-requests");

  private final HeavyThreads threads =
      new HeavyThreads(
          "large-request", Math.max(1, Runtime.getRuntime().availableProcessors() / 2));

  /// The threads of the current call, if it has a large request.
  static @Nullable Executor threads() {
    return THREADS.get();
  }

  @Override
  public void close() {
    threads.stop();
  }

  @Override
  public <ReqT, RespT> Listener<ReqT> interceptCall(
      ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
    Listener<ReqT> listener = next.startCall(call, headers);
    return call.getMethodDescriptor().getType() == MethodType.UNARY
        ? new Moving<>(listener, call)
        : listener;
  }

  /// The events of a call come one after the other.
  private final class Moving<ReqT> extends SimpleForwardingServerCallListener<ReqT> {
    private final ServerCall<ReqT, ?> call;
    private @Nullable ReqT request;

    Moving(Listener<ReqT> listener, ServerCall<ReqT, ?> call) {
      super(listener);
      this.call = call;
    }

    @Override
    public void onMessage(ReqT message) {
      if (message instanceof Message whole && whole.getSerializedSize() > LARGE_BYTES) {
        request = message;
      } else {
        super.onMessage(message);
      }
    }

    /// Only now the request is complete, so all of its work is one task.
    @Override
    public void onHalfClose() {
      @Nullable ReqT large = request;
      if (large == null) {
        super.onHalfClose();
        return;
      }
      request = null;
      Runnable work =
          () -> {
            try (var _ = FailureInterceptor.named()) {
              super.onMessage(large);
              super.onHalfClose();
            } catch (RuntimeException | Error e) {
              FailureInterceptor.close(call, e);
            }
          };
      Context context = Context.current().withValue(THREADS, threads.executor());
      // The trace comes first: it brings the context of the call in which it was taken.
      threads
          .executor()
          .execute(
              io.opentelemetry.context.Context.current().wrap(context.wrap(unlessCancelled(work))));
    }

    /// A client that left while its request waited gets no answer.
    private Runnable unlessCancelled(Runnable work) {
      return () -> {
        if (!call.isCancelled()) {
          work.run();
        }
      };
    }
  }
}
