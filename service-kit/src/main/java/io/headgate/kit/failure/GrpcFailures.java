package io.headgate.kit.failure;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.Durations;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RequestInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Converts refusals and exceptions to google.rpc.Status and back; nothing else does. Every status
/// carries an ErrorInfo with the domain `headgate.io` and the request's id. A wrong field adds a
/// BadRequest, a wait a RetryInfo. An unexpected exception becomes INTERNAL with the id alone: its
/// text stays in the log, under that id.
public final class GrpcFailures {
  public static final String DOMAIN = "headgate.io";

  /// The reason when the server itself stops waiting for a handler.
  public static final String UNAVAILABLE = "UNAVAILABLE";

  private static final Logger LOG = LoggerFactory.getLogger(GrpcFailures.class);
  private static final Duration DATABASE_RETRY = Duration.ofSeconds(1);

  /// Codes of a nested call that also apply to the outer call. Other codes, such as
  /// UNAUTHENTICATED, concern this service and not its caller.
  private static final Set<Status.Code> PASSED_ON =
      Set.of(
          Status.Code.INVALID_ARGUMENT,
          Status.Code.NOT_FOUND,
          Status.Code.ALREADY_EXISTS,
          Status.Code.PERMISSION_DENIED,
          Status.Code.FAILED_PRECONDITION,
          Status.Code.RESOURCE_EXHAUSTED,
          Status.Code.ABORTED,
          Status.Code.OUT_OF_RANGE,
          Status.Code.UNAVAILABLE,
          Status.Code.DEADLINE_EXCEEDED);

  private GrpcFailures() {}

  /// The status of `refusal` as a message.
  public static com.google.rpc.Status proto(Refusal refusal) {
    return proto(refusal, null);
  }

  /// The refusal inside a failed call, if a Headgate service refused it.
  public static Optional<Refusal> refusal(Throwable failure) {
    com.google.rpc.Status status = StatusProto.fromThrowable(failure);
    return status == null ? Optional.empty() : refusal(status);
  }

  /// The status for the caller of a call that ended with `status`.
  public static com.google.rpc.Status translate(Status status, Metadata trailers, Call call) {
    Throwable cause = status.getCause();
    Refusal refusal = cause == null ? null : known(cause);
    if (refusal == null) {
      refusal = passedOn(status, trailers);
    }
    if (refusal == null && cause == null) {
      refusal = framework(status);
    }
    if (refusal == null) {
      LOG.error("request {} to {} failed", call.requestId(), call.method(), thrown(status));
      refusal =
          Refusal.of(
              Status.Code.INTERNAL,
              "INTERNAL",
              "internal error; search the server's log for request " + call.requestId());
    }
    return proto(refusal, call.requestId());
  }

  /// Identifies a call in logs and answers.
  public record Call(String requestId, String method) {}

  /// The refusal in the chain of causes, or the refusal that a database failure stands for.
  private static @Nullable Refusal known(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof RefusalException refused) {
        return refused.refusal();
      }
      if (cause instanceof SQLException sql) {
        return database(sql);
      }
      if (cause instanceof StatusRuntimeException || cause instanceof StatusException) {
        Metadata trailers = Status.trailersFromThrowable(cause);
        return passedOn(Status.fromThrowable(cause), trailers == null ? new Metadata() : trailers);
      }
    }
    return null;
  }

  /// Whether the failure was caused by a database that cannot be reached.
  public static boolean isDatabaseUnreachable(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql) {
        return isUnreachable(sql);
      }
    }
    return false;
  }

  private static boolean isUnreachable(SQLException failure) {
    String state = String.valueOf(failure.getSQLState());
    return failure instanceof SQLTransientConnectionException
        || failure instanceof SQLNonTransientConnectionException
        || state.startsWith("08")
        || state.startsWith("53")
        || state.startsWith("57P");
  }

  private static @Nullable Refusal database(SQLException failure) {
    String state = String.valueOf(failure.getSQLState());
    if (isUnreachable(failure)) {
      LOG.warn("the database is unavailable: {}", failure.toString());
      return Refusal.unavailable(
          "DATABASE_UNAVAILABLE", "the database cannot be reached; try again", DATABASE_RETRY);
    }
    if (state.equals("40001") || state.equals("40P01")) {
      return Refusal.conflict("CONFLICT", "another change came first; try again");
    }
    return null;
  }

  private static @Nullable Refusal passedOn(Status status, Metadata trailers) {
    com.google.rpc.Status proto = StatusProto.fromStatusAndTrailers(status, trailers);
    return PASSED_ON.contains(status.getCode()) ? refusal(proto).orElse(null) : null;
  }

  /// Rewords the refusals of gRPC itself, whose texts expose internals.
  private static @Nullable Refusal framework(Status status) {
    return switch (status.getCode()) {
      case CANCELLED -> Refusal.of(status.getCode(), "CANCELLED", "the call was cancelled");
      case DEADLINE_EXCEEDED ->
          Refusal.of(
              status.getCode(),
              "DEADLINE_EXCEEDED",
              "the call did not end in time; whether it took effect is not known");
      case RESOURCE_EXHAUSTED ->
          Refusal.of(
              status.getCode(),
              "MESSAGE_TOO_LARGE",
              "a message is larger than allowed: send less at a time");
      case UNIMPLEMENTED ->
          Refusal.of(status.getCode(), "UNIMPLEMENTED", "there is no such method or encoding");
      case UNAVAILABLE ->
          Refusal.unavailable(UNAVAILABLE, "the server is stopping", DATABASE_RETRY);
      case INVALID_ARGUMENT ->
          Refusal.invalid("MALFORMED_REQUEST", "the request cannot be read as its message");
      default -> null;
    };
  }

  private static Throwable thrown(Status status) {
    return status.getCause() == null ? status.asRuntimeException() : status.getCause();
  }

  /// The status for `whole`, with the request's id if there is one. It names the first wrong fields
  /// and how many more there are, because trailers are bounded.
  public static com.google.rpc.Status proto(Refusal whole, @Nullable String requestId) {
    Refusal refusal = StatusBound.fit(whole);
    com.google.rpc.Status.Builder status =
        com.google.rpc.Status.newBuilder()
            .setCode(refusal.code().value())
            .setMessage(refusal.message())
            .addDetails(
                Any.pack(
                    ErrorInfo.newBuilder()
                        .setReason(refusal.reason())
                        .setDomain(DOMAIN)
                        .putAllMetadata(refusal.metadata())
                        .build()));
    if (!refusal.violations().isEmpty()) {
      BadRequest.Builder wrong = BadRequest.newBuilder();
      for (Refusal.FieldViolation violation : refusal.violations()) {
        wrong
            .addFieldViolationsBuilder()
            .setField(violation.field())
            .setDescription(violation.description())
            .setReason(violation.reason());
      }
      status.addDetails(Any.pack(wrong.build()));
    }
    refusal
        .retryDelay()
        .ifPresent(delay ->
            status.addDetails(
                Any.pack(
                    RetryInfo.newBuilder()
                        .setRetryDelay(Durations.fromNanos(delay.toNanos()))
                        .build())));
    if (requestId != null) {
      status.addDetails(Any.pack(RequestInfo.newBuilder().setRequestId(requestId).build()));
    }
    return status.build();
  }

  private static Optional<Refusal> refusal(com.google.rpc.Status status) {
    ErrorInfo info = null;
    BadRequest wrong = BadRequest.getDefaultInstance();
    Duration retry = null;
    try {
      for (Any detail : status.getDetailsList()) {
        if (detail.is(ErrorInfo.class)) {
          info = detail.unpack(ErrorInfo.class);
        } else if (detail.is(BadRequest.class)) {
          wrong = detail.unpack(BadRequest.class);
        } else if (detail.is(RetryInfo.class)) {
          retry =
              Duration.ofNanos(Durations.toNanos(detail.unpack(RetryInfo.class).getRetryDelay()));
        }
      }
      if (info == null || !info.getDomain().equals(DOMAIN)) {
        return Optional.empty();
      }
      List<Refusal.FieldViolation> violations =
          wrong.getFieldViolationsList().stream()
              .map(each ->
                  new Refusal.FieldViolation(
                      each.getField(), each.getDescription(), each.getReason()))
              .toList();
      Map<String, String> metadata = new LinkedHashMap<>(info.getMetadataMap());
      return Optional.of(
          new Refusal(
              Status.fromCodeValue(status.getCode()).getCode(),
              info.getReason(),
              status.getMessage(),
              violations,
              metadata,
              retry));
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
