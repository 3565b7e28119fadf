package io.headgate.kit.grpc;

import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCall.Listener;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.GrpcFailures.Call;
import io.headgate.kit.grpc.Connections.Connection;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/// Gives each call an id and sends every failure, thrown or closed with, through {@link
/// GrpcFailures}. A call without a good token costs its [connection][Connections]. Refusals because
/// of the caller are [counted][DeniedCalls]. The class is the outermost interceptor, so that it
/// also handles the refusals of the others.
final class FailureInterceptor implements ServerInterceptor {
  static final Metadata.Key<String> REQUEST_ID =
      Metadata.Key.of("x-request-id", Metadata.ASCII_STRING_MARSHALLER);
  static final Context.Key<String> REQUEST_ID_KEY = Context.key("request-id");
  private static final String LOG_KEY = "request";

  private final DeniedCalls denied;

  FailureInterceptor(DeniedCalls denied) {
    this.denied = denied;
  }

  @Override
  public <ReqT, RespT> Listener<ReqT> interceptCall(
      ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
    String id = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
    Call named = new Call(id, call.getMethodDescriptor().getFullMethodName());
    TranslatingCall<ReqT, RespT> translating = new TranslatingCall<>(call, named, denied);
    Context context =
        Context.current()
            .withValue(REQUEST_ID_KEY, id)
            .withValue(CallThreads.CALL, ServiceRequestContext.current())
            .withValue(ClientAddresses.KEY, ClientAddresses.ofRequest());
    try (var _ = MDC.putCloseable(LOG_KEY, id)) {
      Listener<ReqT> listener = Contexts.interceptCall(context, translating, headers, next);
      return new GuardedListener<>(listener, translating, id);
    } catch (RuntimeException | Error e) {
      close(translating, e);
      return new Listener<>() {};
    }
  }

  /// Names the call in the log lines of this thread until closed, for threads that take over a call
  /// with its context.
  static MDC.MDCCloseable named() {
    return MDC.putCloseable(LOG_KEY, REQUEST_ID_KEY.get());
  }

  /// Ends the call with the failure of its handler.
  static void close(ServerCall<?, ?> call, Throwable failure) {
    @Nullable Metadata trailers = Status.trailersFromThrowable(failure);
    call.close(Status.fromThrowable(failure), trailers == null ? new Metadata() : trailers);
  }

  private static final class TranslatingCall<ReqT, RespT>
      extends SimpleForwardingServerCall<ReqT, RespT> {
    private final Call named;
    private final DeniedCalls denied;
    private final Optional<Connection> connection;
    private final AtomicBoolean closed = new AtomicBoolean();

    TranslatingCall(ServerCall<ReqT, RespT> call, Call named, DeniedCalls denied) {
      super(call);
      this.named = named;
      this.denied = denied;
      this.connection = Connections.of(ServiceRequestContext.currentOrNull());
    }

    @Override
    public void sendHeaders(Metadata headers) {
      headers.put(REQUEST_ID, named.requestId());
      super.sendHeaders(headers);
    }

    @Override
    public void close(Status status, Metadata trailers) {
      if (!closed.compareAndSet(false, true)) {
        return;
      }
      if (status.isOk()) {
        super.close(status, trailers);
        return;
      }
      StatusRuntimeException translated =
          StatusProto.toStatusRuntimeException(GrpcFailures.translate(status, trailers, named));
      if (translated.getStatus().getCode() == Status.Code.UNAUTHENTICATED) {
        connection.ifPresent(Connection::failed);
      }
      GrpcFailures.refusal(translated)
          .ifPresent(refusal -> denied.refused(getMethodDescriptor(), refusal));
      Metadata details = translated.getTrailers();
      Metadata sent = details == null ? new Metadata() : details;
      sent.put(REQUEST_ID, named.requestId());
      super.close(translated.getStatus(), sent);
    }
  }

  private static final class GuardedListener<ReqT>
      extends SimpleForwardingServerCallListener<ReqT> {
    private final TranslatingCall<ReqT, ?> call;
    private final String id;

    GuardedListener(Listener<ReqT> listener, TranslatingCall<ReqT, ?> call, String id) {
      super(listener);
      this.call = call;
      this.id = id;
    }

    @Override
    public void onMessage(ReqT message) {
      guarded(() -> super.onMessage(message));
    }

    @Override
    public void onHalfClose() {
      guarded(super::onHalfClose);
    }

    @Override
    public void onReady() {
      guarded(super::onReady);
    }

    @Override
    public void onCancel() {
      guarded(super::onCancel);
    }

    @Override
    public void onComplete() {
      guarded(super::onComplete);
    }

    private void guarded(Runnable event) {
      try (var _ = MDC.putCloseable(LOG_KEY, id)) {
        event.run();
      } catch (RuntimeException | Error e) {
        close(call, e);
      }
    }
  }
}
