package io.headgate.kit.grpc;

import com.google.protobuf.Message;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCall.Listener;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.headgate.kit.auth.Principal;
import io.headgate.kit.auth.Principals;
import io.headgate.kit.failure.Refusal;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Bounds the bytes of large requests in progress, [fairly][FairBound]. The bound on calls suffices
/// for small requests, but a few thousand large ones would exceed the memory.
final class RequestMemory implements ServerInterceptor {
  private static final Duration RETRY = Duration.ofSeconds(1);

  /// Smaller requests are not counted; the bound on calls covers them.
  private static final int LARGE_BYTES = 16 << 10;

  private final FairBound bound;
  private final long most;

  /// @param most bytes in progress, at least the largest request
  RequestMemory(long most) {
    this.bound = new FairBound(most);
    this.most = most;
  }

  @Override
  public <ReqT, RespT> Listener<ReqT> interceptCall(
      ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
    Listener<ReqT> listener = next.startCall(call, headers);
    return call.getMethodDescriptor().getType() == MethodType.UNARY
        ? new Counting<>(listener)
        : listener;
  }

  private final class Counting<ReqT> extends SimpleForwardingServerCallListener<ReqT> {
    private final String caller;
    private final String tenant;
    private final AtomicLong counted = new AtomicLong();

    Counting(Listener<ReqT> listener) {
      super(listener);
      @Nullable Principal principal = Principals.find().orElse(null);
      this.caller = principal == null ? "" : principal.subject();
      this.tenant = principal == null || principal.tenant() == null ? caller : principal.tenant();
    }

    @Override
    public void onMessage(ReqT message) {
      if (message instanceof Message request && request.getSerializedSize() > LARGE_BYTES) {
        enter(request.getSerializedSize());
      }
      super.onMessage(message);
    }

    private void enter(int bytes) {
      if (!bound.enter(caller, tenant, bytes)) {
        throw Refusal.exhausted(
                "OVERLOADED",
                "the server has %d MiB of large requests in progress at most, half of them of one caller; try again"
                    .formatted(most >> 20),
                RETRY)
            .exception();
      }
      counted.set(bytes);
    }

    private void leave() {
      long bytes = counted.getAndSet(0);
      if (bytes > 0) {
        bound.leave(caller, tenant, bytes);
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
