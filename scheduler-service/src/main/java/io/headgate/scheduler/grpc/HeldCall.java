package io.headgate.scheduler.grpc;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One call with one request, of those that [HeldCalls] lets wait. Its handler is started when it
/// need not wait any more, on a thread of its own, for that may block. Events of the caller come
/// one after the other, and may come while that thread begins.
final class HeldCall<Q, R> extends OneRequestListener<Q> {
  private final ServerCall<Q, R> call;
  private final Metadata headers;
  private final ServerCallHandler<Q, R> next;
  private final HeldCalls held;
  private final Context context = Context.current();
  private final CompletableFuture<Void> over = new CompletableFuture<>();
  private final Object lock = new Object();
  // Guarded by lock.
  private boolean isCancelled;
  private ServerCall.@Nullable Listener<Q> handler;

  HeldCall(ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next, HeldCalls held) {
    this.call = call;
    this.headers = headers;
    this.next = next;
    this.held = held;
  }

  HeldCall<Q, R> begin() {
    ask(call);
    return this;
  }

  @Override
  void onRequest(Q message) {
    if (!held.enter(message)) {
      handle(message);
      return;
    }
    Runnable again = () -> over.complete(null);
    var _ =
        over.completeOnTimeout(null, held.patience().toMillis(), TimeUnit.MILLISECONDS)
            .thenRunAsync(
                () -> goOn(message, again),
                task -> Thread.ofVirtual().name("held-call").start(task));
    if (!held.waiters().add(again)) {
      // The election is already decided, so the call need not wait.
      again.run();
    }
  }

  private void goOn(Q message, Runnable again) {
    held.waiters().remove(again);
    held.leave(message);
    context.run(() -> handle(message));
  }

  private void handle(Q message) {
    try {
      ServerCall.Listener<Q> own;
      synchronized (lock) {
        if (isCancelled) {
          return;
        }
        own = next.startCall(call, headers);
        handler = own;
      }
      own.onMessage(message);
      own.onHalfClose();
    } catch (RuntimeException | Error e) {
      call.close(Status.UNKNOWN.withCause(e), new Metadata());
    }
  }

  private ServerCall.@Nullable Listener<Q> handler() {
    synchronized (lock) {
      return handler;
    }
  }

  @Override
  public void onReady() {
    ServerCall.@Nullable Listener<Q> own = handler();
    if (own != null) {
      own.onReady();
    }
  }

  @Override
  public void onCancel() {
    ServerCall.@Nullable Listener<Q> own;
    synchronized (lock) {
      isCancelled = true;
      own = handler;
    }
    if (own != null) {
      own.onCancel();
    }
    over.complete(null);
  }

  @Override
  public void onComplete() {
    ServerCall.@Nullable Listener<Q> own = handler();
    if (own != null) {
      own.onComplete();
    }
  }
}
