package io.headgate.kit.grpc;

import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.Context;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Executors for the work of a call, on whichever thread its handler runs.
public final class CallThreads {
  static final Context.Key<ServiceRequestContext> CALL = Context.key("call");

  private CallThreads() {}

  /// The thread that writes to the connection of the current call. Several messages sent in one
  /// task on it cost one hand-over and one write; from other threads each message costs its own.
  /// Tasks run in order, one at a time, and must not block.
  ///
  /// @throws IllegalStateException outside of a call
  public static Executor writer() {
    return current().eventLoop().withoutContext();
  }

  /// Threads that may block, for parts of the current call: virtual ones, or those of [large
  /// requests][LargeRequests]. Each part runs with the caller's principal and trace, like the call
  /// itself.
  ///
  /// @throws IllegalStateException outside of a call
  public static Executor blocking() {
    @Nullable Executor large = LargeRequests.threads();
    Executor threads = large == null ? current().blockingTaskExecutor().withoutContext() : large;
    Context call = Context.current();
    io.opentelemetry.context.Context trace = io.opentelemetry.context.Context.current();
    return part -> threads.execute(call.wrap(trace.wrap(named(part))));
  }

  private static Runnable named(Runnable part) {
    return () -> {
      try (var _ = FailureInterceptor.named()) {
        part.run();
      }
    };
  }

  /// Continues the current call on a virtual thread, which may block. For prompt calls, whose own
  /// thread may not.
  ///
  /// @param answer receives the exception that `handler` throws
  /// @throws IllegalStateException outside of a call
  public static void apart(StreamObserver<?> answer, Runnable handler) {
    apart(current().blockingTaskExecutor().withoutContext(), answer, handler);
  }

  /// Continues the current call on one of `threads`, which may block. For work that waits long for
  /// something else than its own result, and must not keep other calls from the common threads.
  ///
  /// @param answer receives the exception that `handler` throws
  /// @throws IllegalStateException outside of a call
  public static void apart(Executor threads, StreamObserver<?> answer, Runnable handler) {
    threads.execute(inCall(answer, handler));
  }

  /// Continues the current call on the [writer] when `value` completes.
  ///
  /// @param answer receives the failure of `value` and the exception that `handler` throws
  /// @throws IllegalStateException outside of a call
  public static <T> void when(
      CompletableFuture<T> value, StreamObserver<?> answer, Consumer<T> handler) {
    Executor writer = writer();
    Runnable goOn = inCall(answer, () -> handler.accept(value.join()));
    var _ = value.whenComplete((_, _) -> writer.execute(goOn));
  }

  /// Completes when the answer of the current call has left this process, or its connection or
  /// stream is gone. The end of a handler is earlier: a client that does not read leaves messages
  /// behind in this process.
  ///
  /// @throws IllegalStateException outside of a call
  public static CompletableFuture<?> gone() {
    return current().log().whenComplete();
  }

  /// An action that resets the stream of the current call, with all messages that the client has
  /// not taken. It may run on any thread.
  ///
  /// @throws IllegalStateException outside of a call
  public static Runnable reset() {
    ServiceRequestContext call = current();
    return call::cancel;
  }

  private static Runnable inCall(StreamObserver<?> answer, Runnable handler) {
    Runnable guarded =
        () -> {
          try (var _ = FailureInterceptor.named()) {
            handler.run();
          } catch (CompletionException e) {
            answer.onError(e.getCause() == null ? e : e.getCause());
          } catch (RuntimeException | Error e) {
            answer.onError(e);
          }
        };
    return Context.current().wrap(io.opentelemetry.context.Context.current().wrap(guarded));
  }

  private static ServiceRequestContext current() {
    ServiceRequestContext call = CALL.get();
    if (call == null) {
      throw new IllegalStateException("no call is being served");
    }
    return call;
  }
}
