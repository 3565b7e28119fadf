package io.headgate.kit.grpc;

import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCall.Listener;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.Set;
import java.util.stream.Collectors;

/// Refuses calls that bring new work while memory is short. All others go on.
final class BrakedCalls implements ServerInterceptor {
  private final MemoryBrake brake;
  private final Set<String> methods;

  BrakedCalls(MemoryBrake brake, Set<MethodDescriptor<?, ?>> methods) {
    this.brake = brake;
    this.methods =
        methods.stream()
            .map(MethodDescriptor::getFullMethodName)
            .collect(Collectors.toUnmodifiableSet());
  }

  @Override
  public <ReqT, RespT> Listener<ReqT> interceptCall(
      ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
    if (methods.contains(call.getMethodDescriptor().getFullMethodName())) {
      brake.demandOff();
    }
    return next.startCall(call, headers);
  }
}
