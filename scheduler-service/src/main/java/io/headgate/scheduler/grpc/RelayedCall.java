package io.headgate.scheduler.grpc;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.Refusal;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// One call with one request, made at the leader for its caller. Answers come as quickly as the
/// caller takes them. Events of the caller and of the leader come on threads of their own; each
/// kind one after the other.
final class RelayedCall<Q, R> extends OneRequestListener<Q> {
  private final ServerCall<Q, R> call;
  private final Metadata headers;
  private final Optional<ServerCallHandler<Q, R>> here;
  private final Predicate<Object> isRepeatable;
  private final String address;
  private final ClientCall<Q, R> leader;
  private final Context context = Context.current();
  private final AtomicBoolean wantsMore = new AtomicBoolean();
  private volatile boolean isSent;
  private volatile boolean isAnswered;
  private volatile @Nullable Q request;
  private volatile ServerCall.@Nullable Listener<Q> handler;

  /// @param here answers instead when the leader cannot be reached
  /// @param isRepeatable whether a second try of the request cannot take effect twice
  RelayedCall(
      ServerCall<Q, R> call,
      Metadata headers,
      LeaderRelay.Link link,
      Optional<ServerCallHandler<Q, R>> here,
      Predicate<Object> isRepeatable) {
    this.call = call;
    this.headers = headers;
    this.here = here;
    this.isRepeatable = isRepeatable;
    this.address = link.address();
    this.leader =
        link.channel()
            .newCall(
                call.getMethodDescriptor(),
                CallOptions.DEFAULT.withStreamTracerFactory(new Departure()));
  }

  RelayedCall<Q, R> begin() {
    ask(call);
    return this;
  }

  @Override
  void onRequest(Q message) {
    request = message;
    leader.start(new Answers(), LeaderRelay.headers(headers));
    // A unary answer ends with its status, for which one asks like for a second message.
    leader.request(call.getMethodDescriptor().getType() == MethodType.UNARY ? 2 : 1);
    leader.sendMessage(message);
    leader.halfClose();
  }

  @Override
  public void onReady() {
    ServerCall.@Nullable Listener<Q> own = handler;
    if (own != null) {
      own.onReady();
    } else if (wantsMore.getAndSet(false)) {
      leader.request(1);
    }
  }

  @Override
  public void onCancel() {
    ServerCall.@Nullable Listener<Q> own = handler;
    if (own != null) {
      own.onCancel();
    } else {
      leader.cancel("the caller has left", null);
    }
  }

  @Override
  public void onComplete() {
    ServerCall.@Nullable Listener<Q> own = handler;
    if (own != null) {
      own.onComplete();
    }
  }

  private final class Answers extends ClientCall.Listener<R> {
    @Override
    public void onMessage(R message) {
      if (call.isCancelled()) {
        return;
      }
      if (!isAnswered) {
        isAnswered = true;
        call.sendHeaders(new Metadata());
      }
      call.sendMessage(message);
      wantsMore.set(true);
      if (call.isReady() && wantsMore.getAndSet(false)) {
        leader.request(1);
      }
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      if (call.isCancelled()) {
        return;
      }
      if (status.isOk()) {
        call.close(Status.OK, new Metadata());
        return;
      }
      StatusRuntimeException failure = status.asRuntimeException(trailers);
      Optional<Refusal> refused = GrpcFailures.refusal(failure).filter(Answers::isOfHandler);
      boolean isAway = refused.map(Refusals::isNoLeader).orElse(isLost(status));
      if (isAway && !isAnswered && here.isPresent()) {
        // The handler blocks; the thread is one of the channel's, which may.
        context.run(() -> answerHere(here.get()));
      } else if (refused.isPresent()) {
        close(refused.get());
      } else if (isLost(status)) {
        close(lost());
      } else {
        call.close(status, trailers);
      }
    }

    /// A stopping server answers that it cannot serve, even while a handler works. Such a refusal
    /// is not the handler's.
    private static boolean isOfHandler(Refusal refusal) {
      return !refusal.reason().equals(GrpcFailures.UNAVAILABLE);
    }
  }

  private Refusal lost() {
    return isSent
        ? Refusals.leaderLost(isRepeatable.test(Objects.requireNonNull(request)))
        : Refusals.noLeader().withMetadata("leader", address);
  }

  private void close(Refusal refusal) {
    call.close(Status.UNKNOWN.withCause(refusal.exception()), new Metadata());
  }

  private void answerHere(ServerCallHandler<Q, R> handlers) {
    try {
      ServerCall.Listener<Q> own = handlers.startCall(call, headers);
      handler = own;
      own.onMessage(Objects.requireNonNull(request));
      own.onHalfClose();
    } catch (RuntimeException | Error e) {
      call.close(Status.UNKNOWN.withCause(e), new Metadata());
    }
  }

  /// The connection failed, and not the call.
  private static boolean isLost(Status status) {
    return switch (status.getCode()) {
      case UNAVAILABLE, UNKNOWN, INTERNAL, CANCELLED -> true;
      default -> false;
    };
  }

  /// Notices that the request has left: before that it cannot have taken effect.
  private final class Departure extends ClientStreamTracer.Factory {
    @Override
    public ClientStreamTracer newClientStreamTracer(
        ClientStreamTracer.StreamInfo info, Metadata sent) {
      return new ClientStreamTracer() {
        @Override
        public void streamCreated(Attributes transport, Metadata ignored) {
          isSent = true;
        }
      };
    }
  }
}
