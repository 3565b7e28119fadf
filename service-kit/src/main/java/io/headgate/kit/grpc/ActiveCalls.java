package io.headgate.kit.grpc;

import com.linecorp.armeria.common.util.TimeoutMode;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCall.Listener;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.headgate.kit.failure.Refusal;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/// Bounds the calls in progress and the time of unary calls. When the server stops, it ends the
/// streams, which would not end by themselves; their handlers see a cancellation.
final class ActiveCalls implements ServerInterceptor {
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final int limit;
  private final Duration unaryLimit;
  private final AtomicInteger active = new AtomicInteger();
  private final Set<StoppableCall<?, ?>> streams = ConcurrentHashMap.newKeySet();
  private volatile boolean stopping;

  ActiveCalls(int limit, Duration unaryLimit) {
    this.limit = limit;
    this.unaryLimit = unaryLimit;
  }

  int count() {
    return active.get();
  }

  @Override
  public <ReqT, RespT> Listener<ReqT> interceptCall(
      ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
    if (active.incrementAndGet() > limit) {
      active.decrementAndGet();
      throw Refusal.exhausted(
              "OVERLOADED", "the server has " + limit + " calls in progress; try again", RETRY)
          .exception();
    }
    boolean unary = call.getMethodDescriptor().getType() == MethodType.UNARY;
    StoppableCall<ReqT, RespT> stoppable = new StoppableCall<>(call);
    if (unary) {
      boundTime();
    } else {
      streams.add(stoppable);
    }
    try {
      Listener<ReqT> listener =
          new ReleasingListener<>(next.startCall(stoppable, headers), stoppable);
      if (stopping && !unary) {
        stoppable.stop();
      }
      return listener;
    } catch (RuntimeException | Error e) {
      release(stoppable);
      throw e;
    }
  }

  void stopStreams() {
    stopping = true;
    streams.forEach(StoppableCall::stop);
  }

  /// The client's deadline applies if it is earlier than the server's.
  private void boundTime() {
    ServiceRequestContext context = ServiceRequestContext.currentOrNull();
    if (context == null) {
      return;
    }
    long millis = context.requestTimeoutMillis();
    if (millis == 0 || millis > unaryLimit.toMillis()) {
      context.setRequestTimeout(TimeoutMode.SET_FROM_NOW, unaryLimit);
    }
  }

  private void release(StoppableCall<?, ?> call) {
    if (call.released.compareAndSet(false, true)) {
      streams.remove(call);
      active.decrementAndGet();
    }
  }

  private static final class StoppableCall<ReqT, RespT>
      extends SimpleForwardingServerCall<ReqT, RespT> {
    private final AtomicBoolean released = new AtomicBoolean();
    private volatile boolean stopped;

    StoppableCall(ServerCall<ReqT, RespT> call) {
      super(call);
    }

    void stop() {
      stopped = true;
      Refusal refusal = Refusal.unavailable("SERVER_STOPPING", "the server is stopping", RETRY);
      delegate().close(Status.UNAVAILABLE.withCause(refusal.exception()), new Metadata());
    }

    @Override
    public void sendMessage(RespT message) {
      if (!stopped) {
        super.sendMessage(message);
      }
    }

    @Override
    public void sendHeaders(Metadata headers) {
      if (!stopped) {
        super.sendHeaders(headers);
      }
    }

    @Override
    public void close(Status status, Metadata trailers) {
      if (!stopped) {
        super.close(status, trailers);
      }
    }

    @Override
    public boolean isCancelled() {
      return stopped || super.isCancelled();
    }
  }

  private final class ReleasingListener<ReqT> extends SimpleForwardingServerCallListener<ReqT> {
    private final StoppableCall<ReqT, ?> call;

    ReleasingListener(Listener<ReqT> listener, StoppableCall<ReqT, ?> call) {
      super(listener);
      this.call = call;
    }

    @Override
    public void onComplete() {
      release(call);
      if (call.stopped) {
        super.onCancel();
      } else {
        super.onComplete();
      }
    }

    @Override
    public void onCancel() {
      release(call);
      super.onCancel();
    }
  }
}
