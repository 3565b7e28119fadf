package io.headgate.kit.grpc;

import io.grpc.Context;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCall.Listener;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/// Gives each handler of a unary [prompt call][PromptCalls] a virtual thread, because it may block;
/// everything before it ran on the event loop.
final class HandOver implements ServerInterceptor {
  private final Collection<MethodDescriptor<?, ?>> prompt;

  HandOver(Collection<MethodDescriptor<?, ?>> prompt) {
    this.prompt = prompt;
  }

  @Override
  public <ReqT, RespT> Listener<ReqT> interceptCall(
      ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
    Listener<ReqT> handler = next.startCall(call, headers);
    MethodDescriptor<?, ?> method = call.getMethodDescriptor();
    if (method.getType() != MethodType.UNARY || !prompt.contains(method)) {
      return handler;
    }
    return new SimpleForwardingServerCallListener<>(handler) {
      @Override
      public void onHalfClose() {
        Runnable handle =
            Context.current()
                .wrap(
                    io.opentelemetry.context.Context.current()
                        .wrap(() -> handle(call, super::onHalfClose)));
        Thread.ofVirtual().name("handler").start(handle);
      }
    };
  }

  private static void handle(ServerCall<?, ?> call, Runnable handler) {
    try (var _ = FailureInterceptor.named()) {
      handler.run();
    } catch (RuntimeException | Error e) {
      @Nullable Metadata trailers = Status.trailersFromThrowable(e);
      call.close(Status.fromThrowable(e), trailers == null ? new Metadata() : trailers);
    }
  }
}
