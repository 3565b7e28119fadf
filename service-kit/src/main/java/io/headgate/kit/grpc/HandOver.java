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
import java.util.Collection;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/// Gives each handler of a unary [prompt call][PromptCalls] a virtual thread, because it may block;
/// everything before it ran on the event loop.
final class HandOver implements ServerInterceptor, AutoCloseable {
  private final Collection<MethodDescriptor<?, ?>> prompt;
  private final AtomicInteger running = new AtomicInteger();

  /// Interrupts those that still run when the server is closed.
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("prompt-handler-", 0).factory());

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
        threads.execute(handle);
      }
    };
  }

  /// Handlers that run at this moment.
  int running() {
    return running.get();
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }

  private void handle(ServerCall<?, ?> call, Runnable handler) {
    running.incrementAndGet();
    try (var _ = FailureInterceptor.named()) {
      handler.run();
    } catch (RuntimeException | Error e) {
      FailureInterceptor.close(call, e);
    } finally {
      running.decrementAndGet();
    }
  }
}
