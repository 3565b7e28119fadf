package io.headgate.scheduler.grpc;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;

/// Keeps the trace context of a call as its caller sent it: it says whether the caller writes a
/// span of its own, which the span of the call does not say.
public final class CallerTrace implements ServerInterceptor {
  private static final Metadata.Key<String> HEADER =
      Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER);
  private static final Context.Key<String> RECEIVED = Context.keyWithDefault("traceparent", "");

  /// The W3C `traceparent` of the current call; empty: it has none.
  static String current() {
    return RECEIVED.get();
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    String received = headers.get(HEADER);
    return received == null
        ? next.startCall(call, headers)
        : Contexts.interceptCall(
            Context.current().withValue(RECEIVED, received), call, headers, next);
  }
}
