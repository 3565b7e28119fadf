package io.headgate.sdk.wire;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/// A channel over several addresses of one installation. Calls use one address until it fails
/// without an answer of a server; later calls use the next. The channel retries nothing.
/// Thread-safe.
final class FailoverChannel extends Channel {
  private final List<? extends Channel> ways;
  private final AtomicInteger current = new AtomicInteger();

  FailoverChannel(List<? extends Channel> ways) {
    this.ways = List.copyOf(ways);
  }

  @Override
  public <Q, R> ClientCall<Q, R> newCall(MethodDescriptor<Q, R> method, CallOptions options) {
    int way = current.get();
    return new SimpleForwardingClientCall<>(ways.get(way).newCall(method, options)) {
      @Override
      public void start(Listener<R> listener, Metadata headers) {
        super.start(
            new SimpleForwardingClientCallListener<>(listener) {
              @Override
              public void onClose(Status status, Metadata trailers) {
                if (isUnanswered(status, trailers)) {
                  // When many calls fail at once, only the first moves to the next address.
                  current.compareAndSet(way, (way + 1) % ways.size());
                }
                super.onClose(status, trailers);
              }
            },
            headers);
      }
    };
  }

  private static boolean isUnanswered(Status status, Metadata trailers) {
    return switch (status.getCode()) {
      // A server that hangs counts as unreachable.
      case DEADLINE_EXCEEDED -> true;
      case UNAVAILABLE ->
          StatusProto.fromStatusAndTrailers(status, trailers).getDetailsCount() == 0;
      default -> false;
    };
  }

  @Override
  public String authority() {
    return ways.get(current.get()).authority();
  }
}
