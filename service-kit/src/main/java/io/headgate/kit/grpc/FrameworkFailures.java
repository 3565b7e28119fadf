package io.headgate.kit.grpc;

import com.linecorp.armeria.common.RequestContext;
import com.linecorp.armeria.common.grpc.GrpcExceptionHandlerFunction;
import com.linecorp.armeria.server.RequestTimeoutException;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.GrpcFailures.Call;

/// Gives details to failures of the server itself, which no interceptor sees: messages that are too
/// large or not readable, deadlines that pass.
final class FrameworkFailures implements GrpcExceptionHandlerFunction {

  @Override
  public Status apply(RequestContext context, Status status, Throwable cause, Metadata metadata) {
    Status known = cause instanceof RequestTimeoutException ? Status.DEADLINE_EXCEEDED : status;
    boolean ours =
        known.getCode() == Status.Code.UNKNOWN || known.getCode() == Status.Code.INTERNAL;
    StatusRuntimeException translated =
        StatusProto.toStatusRuntimeException(
            GrpcFailures.translate(
                ours ? known.withCause(cause) : known.withCause(null),
                metadata,
                new Call(context.id().shortText(), context.path())));
    Metadata details = translated.getTrailers();
    if (details != null) {
      metadata.merge(details);
    }
    return translated.getStatus();
  }
}
