package io.headgate.kit.grpc;

import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCall.Listener;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.headgate.kit.auth.Principals;

/// Proves the [connection][Connections] of a call whose token is good. Follows authentication.
final class ProvenCalls implements ServerInterceptor {
  @Override
  public <ReqT, RespT> Listener<ReqT> interceptCall(
      ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
    Principals.find()
        .ifPresent(principal ->
            Connections.of(ServiceRequestContext.currentOrNull())
                .ifPresent(connection -> connection.prove(principal.subject())));
    return next.startCall(call, headers);
  }
}
