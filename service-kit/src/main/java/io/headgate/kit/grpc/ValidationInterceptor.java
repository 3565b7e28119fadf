package io.headgate.kit.grpc;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCall.Listener;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.List;

/// Checks every client message against the rules of the contract and reports all violations at
/// once.
final class ValidationInterceptor implements ServerInterceptor {
  private final MessageRules rules;

  ValidationInterceptor(List<Descriptor> requests) {
    this.rules = new MessageRules(requests);
  }

  @Override
  public <ReqT, RespT> Listener<ReqT> interceptCall(
      ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
    return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
      @Override
      public void onMessage(ReqT message) {
        if (message instanceof Message request) {
          rules.require("", request);
        }
        super.onMessage(message);
      }
    };
  }
}
