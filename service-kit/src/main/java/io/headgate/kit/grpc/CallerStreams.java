package io.headgate.kit.grpc;

import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCall.Listener;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.grpc.FairBound.Excess;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/// Bounds the open streams of each caller and each tenant, because a stream may last for days and
/// costs memory even if it does nothing. Follows authentication.
final class CallerStreams implements ServerInterceptor {
  /// Open streams of one caller. A node has one, a person with many terminals a few dozen.
  static final int PER_CALLER = 1000;

  private static final Duration RETRY = Duration.ofSeconds(5);

  private final FairBound bound;

  /// @param most open streams of all callers
  CallerStreams(int most) {
    this.bound =
        new FairBound(new FairBound.Limits(most, Long.MAX_VALUE, PER_CALLER, Long.MAX_VALUE));
  }

  @Override
  public <ReqT, RespT> Listener<ReqT> interceptCall(
      ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
    if (call.getMethodDescriptor().getType() == MethodType.UNARY) {
      return next.startCall(call, headers);
    }
    CallOrigin origin = CallOrigin.current();
    Optional<Excess> excess = bound.enter(origin, 1);
    if (excess.isPresent()) {
      throw Refusal.exhausted(
              "TOO_MANY_STREAMS",
              "%s has %d open streams and may have %d now; close some or try again later"
                  .formatted(excess.get().holder(), excess.get().held(), excess.get().most()),
              RETRY)
          .withMetadata("limit", excess.get().most())
          .exception();
    }
    try {
      return new Leaving<>(next.startCall(call, headers), origin);
    } catch (RuntimeException | Error e) {
      bound.leave(origin, 1);
      throw e;
    }
  }

  private final class Leaving<ReqT> extends SimpleForwardingServerCallListener<ReqT> {
    private final CallOrigin origin;
    private final AtomicBoolean left = new AtomicBoolean();

    Leaving(Listener<ReqT> listener, CallOrigin origin) {
      super(listener);
      this.origin = origin;
    }

    private void leave() {
      if (left.compareAndSet(false, true)) {
        bound.leave(origin, 1);
      }
    }

    @Override
    public void onComplete() {
      leave();
      super.onComplete();
    }

    @Override
    public void onCancel() {
      leave();
      super.onCancel();
    }
  }
}
