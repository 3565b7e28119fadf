package io.headgate.sdk.wire;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RequestInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.HeadgateException.Failure;
import io.headgate.sdk.model.HeadgateException.FieldViolation;
import io.headgate.sdk.model.ServerAddress;
import io.headgate.sdk.model.StatusCode;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.ssl.NotSslRecordException;
import java.net.ConnectException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// The only place that turns a gRPC status into a [HeadgateException].
final class FailureMessages {
  private static final String DOMAIN = "headgate.io";

  private final ServerAddress server;

  FailureMessages(ServerAddress server) {
    this.server = server;
  }

  /// Maps a failed call to an exception.
  ///
  /// @param failed a StatusException or StatusRuntimeException
  HeadgateException from(Throwable failed, String traceId) {
    Details details = details(StatusProto.fromThrowable(failed));
    Status status = Status.fromThrowable(failed);
    if (details.reason == null && isForeign(status)) {
      return own(StatusCode.UNIMPLEMENTED, foreign(status), traceId);
    }
    StatusCode code = code(status.getCode());
    String reason = details.reason == null ? code.name() : details.reason;
    String message = details.reason == null ? transportMessage(status) : description(status);
    return new HeadgateException(
        new Failure(
            code,
            reason,
            message,
            details.violations,
            details.metadata,
            details.requestId,
            traceId,
            details.retryDelay),
        failed);
  }

  /// The failure of a call's last try. If the caller's deadline cut that try off, the message
  /// quotes the answer to the try before, which names the reason.
  HeadgateException after(HeadgateException last, @Nullable HeadgateException before) {
    if (before == null
        || !isAnswered(before)
        || isAnswered(last)
        || last.code() != StatusCode.DEADLINE_EXCEEDED) {
      return last;
    }
    Failure failure = last.failure();
    return new HeadgateException(
        new Failure(
            failure.code(),
            failure.reason(),
            failure.message() + "; the try before was answered: " + before.failure().message(),
            failure.violations(),
            failure.metadata(),
            failure.requestId(),
            failure.traceId(),
            failure.retryDelay()),
        last);
  }

  HeadgateException interrupted(String traceId) {
    return own(StatusCode.CANCELLED, "interrupted while waiting for " + server, traceId);
  }

  HeadgateException cutOff(String how, String traceId) {
    return own(StatusCode.UNAVAILABLE, server + ": " + how, traceId);
  }

  private static HeadgateException own(StatusCode code, String message, String traceId) {
    return new HeadgateException(
        new Failure(code, code.name(), message, List.of(), Map.of(), null, traceId, null), null);
  }

  /// Whether a service itself gave this answer, so that the call surely took no effect.
  static boolean isAnswered(HeadgateException failure) {
    return !failure.reason().equals(failure.code().name());
  }

  private String transportMessage(Status status) {
    return switch (status.getCode()) {
      case UNAVAILABLE -> unreachable(status);
      case DEADLINE_EXCEEDED -> "no answer from " + server + " in time";
      case UNIMPLEMENTED ->
          server + " does not offer this call: it may be an older version, or no Headgate server";
      default -> description(status);
    };
  }

  private String unreachable(Status status) {
    for (Throwable cause = status.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof ConnectException) {
        return "nothing listens at " + server + " (connection refused)";
      }
      if (cause instanceof java.net.UnknownHostException) {
        return "the name of " + server + " is not known";
      }
      if (cause instanceof CertificateException) {
        return "the certificate of %s cannot be trusted: %s".formatted(server, cause.getMessage());
      }
      if (cause instanceof SSLException
          && String.valueOf(cause.getMessage()).contains("protocol_version")) {
        return server + " does not offer TLS 1.3, and no older version is spoken";
      }
    }
    if (!server.encrypted() && description(status).contains("Network closed")) {
      return server
          + " closed the connection at once: if it uses TLS, its address begins with https://";
    }
    return server + " cannot be reached: " + description(status);
  }

  /// Whether the peer is no Headgate server; a retry would not help.
  private static boolean isForeign(Status status) {
    for (Throwable cause = status.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof NotSslRecordException || isHttp1(cause)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isHttp1(Throwable cause) {
    return cause instanceof Http2Exception
        && String.valueOf(cause.getMessage()).contains("was not SETTINGS");
  }

  private String foreign(Status status) {
    for (Throwable cause = status.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof NotSslRecordException) {
        return server + " answers without TLS: its address begins with http://";
      }
    }
    return server + " does not speak gRPC: check that this is the port of the API";
  }

  private static String description(Status status) {
    String description = status.getDescription();
    return description == null ? status.getCode().name() : description;
  }

  private static StatusCode code(Status.Code code) {
    return switch (code) {
      case OK, UNKNOWN -> StatusCode.UNKNOWN;
      case CANCELLED -> StatusCode.CANCELLED;
      case INVALID_ARGUMENT -> StatusCode.INVALID_ARGUMENT;
      case DEADLINE_EXCEEDED -> StatusCode.DEADLINE_EXCEEDED;
      case NOT_FOUND -> StatusCode.NOT_FOUND;
      case ALREADY_EXISTS -> StatusCode.ALREADY_EXISTS;
      case PERMISSION_DENIED -> StatusCode.PERMISSION_DENIED;
      case RESOURCE_EXHAUSTED -> StatusCode.RESOURCE_EXHAUSTED;
      case FAILED_PRECONDITION -> StatusCode.FAILED_PRECONDITION;
      case ABORTED -> StatusCode.ABORTED;
      case OUT_OF_RANGE -> StatusCode.OUT_OF_RANGE;
      case UNIMPLEMENTED -> StatusCode.UNIMPLEMENTED;
      case INTERNAL -> StatusCode.INTERNAL;
      case UNAVAILABLE -> StatusCode.UNAVAILABLE;
      case DATA_LOSS -> StatusCode.DATA_LOSS;
      case UNAUTHENTICATED -> StatusCode.UNAUTHENTICATED;
    };
  }

  private static final class Details {
    private @Nullable String reason;
    private Map<String, String> metadata = Map.of();
    private final List<FieldViolation> violations = new ArrayList<>();
    private @Nullable String requestId;
    private @Nullable Duration retryDelay;
  }

  private static Details details(com.google.rpc.@Nullable Status status) {
    Details details = new Details();
    if (status == null) {
      return details;
    }
    for (Any any : status.getDetailsList()) {
      try {
        read(any, details);
      } catch (InvalidProtocolBufferException e) {
        // A damaged detail is ignored; code and message remain.
        details.metadata = Map.of("unreadableDetail", any.getTypeUrl());
      }
    }
    return details;
  }

  private static void read(Any any, Details details) throws InvalidProtocolBufferException {
    if (any.is(ErrorInfo.class)) {
      ErrorInfo info = any.unpack(ErrorInfo.class);
      if (info.getDomain().equals(DOMAIN)) {
        details.reason = info.getReason();
      }
      details.metadata = info.getMetadataMap();
    } else if (any.is(BadRequest.class)) {
      any.unpack(BadRequest.class)
          .getFieldViolationsList()
          .forEach(violation ->
              details.violations.add(
                  new FieldViolation(violation.getField(), violation.getDescription())));
    } else if (any.is(RetryInfo.class)) {
      details.retryDelay = TimeMessages.duration(any.unpack(RetryInfo.class).getRetryDelay());
    } else if (any.is(RequestInfo.class)) {
      details.requestId = any.unpack(RequestInfo.class).getRequestId();
    }
  }
}
