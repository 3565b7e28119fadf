package io.headgate.kit.grpc;

import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.Context;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/// Threads for what belongs to a call, wherever it came to be handled.
public final class CallThreads {
  static final Context.Key<ServiceRequestContext> CALL = Context.key("call");

  private CallThreads() {}

  /// The thread that writes to the connection of the call that this thread serves. Several messages
  /// given to the stream in one task there cost one hand-over and one write; from elsewhere each
  /// costs its own. A task must not block. In order, one at a time.
  ///
  /// @throws IllegalStateException outside of a call
  public static Executor writer() {
    return current().eventLoop().withoutContext();
  }

  /// Goes on with the call that this thread serves on a virtual thread, which may wait: for prompt
  /// calls, whose own thread may not.
  ///
  /// @param answer told what `handler` throws
  /// @throws IllegalStateException outside of a call
  public static void apart(StreamObserver<?> answer, Runnable handler) {
    current().blockingTaskExecutor().withoutContext().execute(inCall(answer, handler));
  }

  /// Goes on with the call that this thread serves when `value` is there, on the [writer].
  ///
  /// @param answer told how `value` failed, or what `handler` throws
  /// @throws IllegalStateException outside of a call
  public static <T> void when(
      CompletableFuture<T> value, StreamObserver<?> answer, Consumer<T> handler) {
    Executor writer = writer();
    Runnable goOn = inCall(answer, () -> handler.accept(value.join()));
    var _ = value.whenComplete((_, _) -> writer.execute(goOn));
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
