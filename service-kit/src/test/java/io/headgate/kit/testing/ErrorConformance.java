package io.headgate.kit.testing;

import com.google.rpc.Status;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status.Code;
import io.grpc.protobuf.StatusProto;
import io.headgate.kit.failure.GrpcFailures;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/// Checks every answer that a test's clients get: a refusal has one of the codes in use and an
/// ErrorInfo of our domain. A violation fails the test, whatever the test itself checks.
public final class ErrorConformance implements ClientInterceptor {
  /// A client may make these itself, without any server's details.
  private static final Set<Code> LOCAL =
      Set.of(Code.CANCELLED, Code.DEADLINE_EXCEEDED, Code.UNAVAILABLE);

  /// UNKNOWN says nothing; DATA_LOSS and INTERNAL are bugs, and a test that provokes INTERNAL says
  /// so by {@link #allowInternal()}.
  private static final Set<Code> NEVER = Set.of(Code.UNKNOWN, Code.DATA_LOSS);

  private final List<String> offences = new CopyOnWriteArrayList<>();
  private volatile boolean internalAllowed;

  public void allowInternal() {
    internalAllowed = true;
  }

  /// Fails if any answer did not conform, and forgets them.
  public void verify() {
    List<String> found = List.copyOf(offences);
    offences.clear();
    internalAllowed = false;
    if (!found.isEmpty()) {
      throw new AssertionError("these answers do not conform: " + found);
    }
  }

  @Override
  public <ReqT, RespT> ClientCall<ReqT, RespT> interceptCall(
      MethodDescriptor<ReqT, RespT> method, CallOptions options, Channel next) {
    return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
      @Override
      public void start(Listener<RespT> listener, Metadata headers) {
        super.start(
            new SimpleForwardingClientCallListener<>(listener) {
              @Override
              public void onClose(io.grpc.Status status, Metadata trailers) {
                inspect(method.getFullMethodName(), status, trailers);
                super.onClose(status, trailers);
              }
            },
            headers);
      }
    };
  }

  private void inspect(String method, io.grpc.Status status, Metadata trailers) {
    if (status.isOk()) {
      return;
    }
    Status details = StatusProto.fromStatusAndTrailers(status, trailers);
    boolean explained = GrpcFailures.refusal(StatusProto.toStatusException(details)).isPresent();
    Code code = status.getCode();
    boolean bug = NEVER.contains(code) || (code == Code.INTERNAL && !internalAllowed);
    if (bug || (!explained && !LOCAL.contains(code))) {
      offences.add(method + " answered " + status);
    }
  }
}
