package io.headgate.kit.grpc;

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
    Principals.find().ifPresent(principal -> ProvenConnection.ofCall().prove(principal.subject()));
    return next.startCall(call, headers);
  }
}
