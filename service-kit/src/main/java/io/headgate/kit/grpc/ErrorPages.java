package io.headgate.kit.grpc;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RequestInfo;
import com.google.rpc.RetryInfo;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.HttpHeaders;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ShuttingDownException;
import com.linecorp.armeria.common.stream.ClosedStreamException;
import com.linecorp.armeria.server.HttpResponseException;
import com.linecorp.armeria.server.HttpStatusException;
import com.linecorp.armeria.server.RequestTimeoutException;
import com.linecorp.armeria.server.ServerErrorHandler;
import com.linecorp.armeria.server.ServiceConfig;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.grpc.UnframedGrpcErrorHandler;
import io.grpc.Status;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.Refusal;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes failures over plain HTTP as the JSON of google.rpc.Status, with the HTTP status of the
/// code. Failures before gRPC sees the call become gRPC trailers.
final class ErrorPages implements ServerErrorHandler, UnframedGrpcErrorHandler {
  private static final Logger LOG = LoggerFactory.getLogger(ErrorPages.class);
  private static final String DETAILS = "grpc-status-details-bin";
  private static final JsonFormat.Printer JSON =
      JsonFormat.printer()
          .usingTypeRegistry(
              JsonFormat.TypeRegistry.newBuilder()
                  .add(ErrorInfo.getDescriptor())
                  .add(BadRequest.getDescriptor())
                  .add(RetryInfo.getDescriptor())
                  .add(RequestInfo.getDescriptor())
                  .build());
  private static final Map<Status.Code, HttpStatus> HTTP =
      Map.ofEntries(
          Map.entry(Status.Code.CANCELLED, HttpStatus.valueOf(499)),
          Map.entry(Status.Code.INVALID_ARGUMENT, HttpStatus.BAD_REQUEST),
          Map.entry(Status.Code.DEADLINE_EXCEEDED, HttpStatus.GATEWAY_TIMEOUT),
          Map.entry(Status.Code.NOT_FOUND, HttpStatus.NOT_FOUND),
          Map.entry(Status.Code.ALREADY_EXISTS, HttpStatus.CONFLICT),
          Map.entry(Status.Code.PERMISSION_DENIED, HttpStatus.FORBIDDEN),
          Map.entry(Status.Code.UNAUTHENTICATED, HttpStatus.UNAUTHORIZED),
          Map.entry(Status.Code.RESOURCE_EXHAUSTED, HttpStatus.TOO_MANY_REQUESTS),
          Map.entry(Status.Code.FAILED_PRECONDITION, HttpStatus.BAD_REQUEST),
          Map.entry(Status.Code.ABORTED, HttpStatus.CONFLICT),
          Map.entry(Status.Code.OUT_OF_RANGE, HttpStatus.BAD_REQUEST),
          Map.entry(Status.Code.UNIMPLEMENTED, HttpStatus.NOT_IMPLEMENTED),
          Map.entry(Status.Code.UNAVAILABLE, HttpStatus.SERVICE_UNAVAILABLE));

  /// The details of a failed transcoded call become the JSON body.
  @Override
  public HttpResponse handle(
      ServiceRequestContext context, Status status, AggregatedHttpResponse response) {
    HttpHeaders trailers = response.trailers().isEmpty() ? response.headers() : response.trailers();
    String details = trailers.get(DETAILS);
    if (details != null) {
      try {
        return json(com.google.rpc.Status.parseFrom(Base64.getDecoder().decode(details)));
      } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
        LOG.warn("a status has unreadable details", e);
      }
    }
    return json(com.google.rpc.Status.newBuilder().setCode(status.getCode().value()).build());
  }

  @Override
  public @Nullable HttpResponse onServiceException(ServiceRequestContext context, Throwable cause) {
    if (cause instanceof HttpResponseException) {
      return null;
    }
    Refusal refusal = refusal(cause);
    if (refusal.code() == Status.Code.INTERNAL) {
      LOG.error("{} failed", context.path(), cause);
    }
    return answer(context, refusal);
  }

  /// The answer to a call that is refused before gRPC sees it.
  static HttpResponse answer(ServiceRequestContext context, Refusal refusal) {
    com.google.rpc.Status status = GrpcFailures.proto(refusal, null);
    MediaType type = context.request().contentType();
    boolean grpc = type != null && type.subtype().startsWith("grpc");
    return grpc ? grpc(status) : json(status);
  }

  @Override
  public @Nullable AggregatedHttpResponse renderStatus(
      @Nullable ServiceRequestContext context,
      ServiceConfig config,
      @Nullable RequestHeaders headers,
      HttpStatus status,
      @Nullable String description,
      @Nullable Throwable cause) {
    Refusal refusal = refusal(status);
    return AggregatedHttpResponse.of(
        status, MediaType.JSON_UTF_8, text(GrpcFailures.proto(refusal, null)));
  }

  private static Refusal refusal(Throwable cause) {
    for (Throwable each = cause; each != null; each = each.getCause()) {
      if (each instanceof ContentTooLargeException) {
        return refusal(HttpStatus.REQUEST_ENTITY_TOO_LARGE);
      }
      if (each instanceof ClosedStreamException) {
        // The caller left before its request was complete; this answer reaches no client.
        return Refusal.of(Status.Code.CANCELLED, "CANCELLED", "the call was cancelled");
      }
      if (each instanceof ShuttingDownException) {
        return refusal(HttpStatus.SERVICE_UNAVAILABLE);
      }
      if (each instanceof RequestTimeoutException) {
        return Refusal.of(
            Status.Code.DEADLINE_EXCEEDED,
            "DEADLINE_EXCEEDED",
            "the request did not complete in time");
      }
      if (each instanceof HttpStatusException status) {
        return refusal(status.httpStatus());
      }
    }
    return refusal(HttpStatus.INTERNAL_SERVER_ERROR);
  }

  private static Refusal refusal(HttpStatus status) {
    return switch (status.code()) {
      case 404 -> Refusal.notFound("NO_SUCH_METHOD", "this path does not exist");
      case 405 ->
          Refusal.of(
              Status.Code.UNIMPLEMENTED, "NO_SUCH_METHOD", "this path has no such HTTP method");
      case 413 ->
          Refusal.of(
              Status.Code.RESOURCE_EXHAUSTED,
              "MESSAGE_TOO_LARGE",
              "the request is larger than allowed: send less at a time");
      case 415 -> Refusal.invalid("MALFORMED_REQUEST", "the content type is not served here");
      case 503 ->
          Refusal.of(
              Status.Code.UNAVAILABLE, GrpcFailures.UNAVAILABLE, "the server cannot answer now");
      default ->
          status.isClientError()
              ? Refusal.invalid("MALFORMED_REQUEST", "the request cannot be read")
              : Refusal.of(Status.Code.INTERNAL, "INTERNAL", "internal error");
    };
  }

  static HttpResponse json(com.google.rpc.Status status) {
    HttpStatus http =
        HTTP.getOrDefault(
            Status.fromCodeValue(status.getCode()).getCode(), HttpStatus.INTERNAL_SERVER_ERROR);
    return HttpResponse.of(http, MediaType.JSON_UTF_8, text(status));
  }

  private static HttpResponse grpc(com.google.rpc.Status status) {
    return HttpResponse.of(
        ResponseHeaders.builder(HttpStatus.OK)
            // Headers alone: gRPC takes an empty frame of data behind them for a broken answer.
            .endOfStream(true)
            .contentType(MediaType.parse("application/grpc+proto"))
            .add("grpc-status", Integer.toString(status.getCode()))
            .add("grpc-message", status.getMessage())
            .add(DETAILS, Base64.getEncoder().withoutPadding().encodeToString(status.toByteArray()))
            .build());
  }

  static String text(com.google.rpc.Status status) {
    try {
      return JSON.print(status) + "\n";
    } catch (InvalidProtocolBufferException e) {
      LOG.warn("a status cannot be written as JSON", e);
      return "{\"code\": " + status.getCode() + "}\n";
    }
  }
}
