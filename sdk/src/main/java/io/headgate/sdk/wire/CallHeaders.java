package io.headgate.sdk.wire;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;

/// Adds token and trace context to the headers of a call.
final class CallHeaders implements ClientInterceptor {
  static final CallOptions.Key<String> TOKEN = CallOptions.Key.create("token");
  static final CallOptions.Key<String> TRACE_PARENT = CallOptions.Key.create("traceparent");

  private static final Metadata.Key<String> AUTHORIZATION_HEADER =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<String> TRACE_PARENT_HEADER =
      Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER);

  @Override
  public <Q, R> ClientCall<Q, R> interceptCall(
      MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
    return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
      @Override
      public void start(Listener<R> listener, Metadata headers) {
        String token = options.getOption(TOKEN);
        if (token != null) {
          headers.put(AUTHORIZATION_HEADER, "Bearer " + token);
        }
        String parent = options.getOption(TRACE_PARENT);
        if (parent != null) {
          headers.put(TRACE_PARENT_HEADER, parent);
        }
        super.start(listener, headers);
      }
    };
  }
}
