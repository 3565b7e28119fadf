package io.headgate.kit.grpc;

import com.google.protobuf.InvalidProtocolBufferException;
import com.linecorp.armeria.common.CancellationException;
import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.RequestContext;
import com.linecorp.armeria.common.ShuttingDownException;
import com.linecorp.armeria.common.grpc.GrpcExceptionHandlerFunction;
import com.linecorp.armeria.server.HttpStatusException;
import com.linecorp.armeria.server.RequestTimeoutException;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.GrpcFailures.Call;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.failure.RefusalException;
import java.util.Arrays;
import java.util.Set;
import java.util.zip.ZipException;

/// Adds details to failures of the server library that no interceptor sees: messages that are too
/// large or unreadable, and expired deadlines.
final class FrameworkFailures implements GrpcExceptionHandlerFunction {
  private static final GrpcExceptionHandlerFunction ARMERIA = GrpcExceptionHandlerFunction.of();

  /// Frames of a stack trace between a failed read and the deframer.
  private static final int DEPTH = 8;

  /// Codes that the library never produces by itself.
  private static final Set<Status.Code> OURS =
      Set.of(
          Status.Code.UNAUTHENTICATED,
          Status.Code.PERMISSION_DENIED,
          Status.Code.NOT_FOUND,
          Status.Code.ALREADY_EXISTS,
          Status.Code.FAILED_PRECONDITION,
          Status.Code.ABORTED,
          Status.Code.OUT_OF_RANGE);

  private final KnownFields fields;

  FrameworkFailures(KnownFields fields) {
    this.fields = fields;
  }

  @Override
  public Status apply(RequestContext context, Status status, Throwable cause, Metadata metadata) {
    if (cause instanceof StatusRuntimeException && OURS.contains(status.getCode())) {
      // A call refused before its requests were read reaches this handler a second time.
      return status;
    }
    Status known = known(context, status, cause, metadata);
    boolean bug = known.getCode() == Status.Code.UNKNOWN || known.getCode() == Status.Code.INTERNAL;
    StatusRuntimeException translated =
        StatusProto.toStatusRuntimeException(
            GrpcFailures.translate(
                known.withCause(
                    known.getCause() instanceof RefusalException own ? own : bug ? cause : null),
                metadata,
                new Call(context.id().shortText(), context.path())));
    Metadata details = translated.getTrailers();
    if (details != null) {
      metadata.merge(details);
    }
    return translated.getStatus();
  }

  private Status known(RequestContext context, Status status, Throwable cause, Metadata metadata) {
    return switch (cause) {
      case RequestTimeoutException _ -> Status.DEADLINE_EXCEEDED;
      case ShuttingDownException _ -> Status.UNAVAILABLE;
      // For example the unread rest of a request that was answered early.
      case CancellationException _ -> Status.CANCELLED;
      case HttpStatusException http when http.getCause() instanceof ContentTooLargeException ->
          Status.RESOURCE_EXHAUSTED;
      // A request that is no such message. Any client can send one, so it is no error of the
      // server.
      case Throwable any when isUnreadable(any) ->
          Status.INVALID_ARGUMENT.withCause(
              fields.unknown(any).map(Refusal::exception).orElse(null));
      default -> ARMERIA.apply(context, status, cause, metadata);
    };
  }

  private static boolean isUnreadable(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof InvalidProtocolBufferException
          || cause instanceof ZipException
          || (cause instanceof IndexOutOfBoundsException && isThrownByDeframer(cause))) {
        return true;
      }
    }
    return false;
  }

  /// The library reads a message that is not there, or that ends early, without looking.
  private static boolean isThrownByDeframer(Throwable failure) {
    return Arrays.stream(failure.getStackTrace())
        .limit(DEPTH)
        .anyMatch(frame -> frame.getClassName().endsWith("MessageDeframer"));
  }
}
