package io.headgate.kit.grpc;

import com.google.protobuf.Message;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCall.Listener;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import io.headgate.kit.config.ByteSize;
import io.headgate.kit.failure.Refusal;
import io.headgate.proto.type.v1.LimitsProto;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Limits the message size per method: the limit that the contract declares for the method, or else
/// the server's general limit. The server reads messages up to the largest limit; this interceptor
/// refuses those above their own method's.
final class RequestSizes implements ServerInterceptor {
  private final int general;
  private final int largest;
  private final Set<String> largePaths;

  RequestSizes(ByteSize general, List<ServerServiceDefinition> services) {
    this.general = Math.toIntExact(general.bytes());
    int most = this.general;
    Set<String> paths = new HashSet<>();
    for (ServerServiceDefinition service : services) {
      for (ServerMethodDefinition<?, ?> method : service.getMethods()) {
        int size = of(method.getMethodDescriptor());
        most = Math.max(most, size);
        if (size > this.general) {
          paths.add("/" + method.getMethodDescriptor().getFullMethodName());
        }
      }
    }
    this.largest = most;
    this.largePaths = Set.copyOf(paths);
  }

  /// Whether the gRPC method at the path has a limit above the general one.
  boolean isLarge(String path) {
    return largePaths.contains(path);
  }

  /// The limit of a method in bytes, at least the general one.
  int of(MethodDescriptor<?, ?> method) {
    return method.getSchemaDescriptor() instanceof ProtoMethodDescriptorSupplier supplier
        ? Math.max(
            general,
            supplier.getMethodDescriptor().getOptions().getExtension(LimitsProto.maxRequestBytes))
        : general;
  }

  /// The largest limit of all methods, in bytes.
  int largest() {
    return largest;
  }

  @Override
  public <ReqT, RespT> Listener<ReqT> interceptCall(
      ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
    int limit = of(call.getMethodDescriptor());
    return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
      @Override
      public void onMessage(ReqT message) {
        if (message instanceof Message request && request.getSerializedSize() > limit) {
          throw Refusal.of(
                  Status.Code.RESOURCE_EXHAUSTED,
                  "MESSAGE_TOO_LARGE",
                  "a message of "
                      + request.getSerializedSize()
                      + " bytes is larger than the "
                      + limit
                      + " allowed: send less at a time")
              .exception();
        }
        super.onMessage(message);
      }
    };
  }
}
