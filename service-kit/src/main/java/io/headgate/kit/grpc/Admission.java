package io.headgate.kit.grpc;

import com.google.rpc.Status;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.grpc.GrpcSerializationFormats;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.SimpleDecoratingHttpService;
import io.grpc.MethodDescriptor;
import io.headgate.kit.auth.AuthInterceptor;
import io.headgate.kit.auth.Principal;
import io.headgate.kit.auth.TokenVerifier;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.Refusal;
import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Bounds the calls of a method in progress (admission control), by gRPC and as JSON together. It
/// refuses further calls at once with a prepared answer and without reading the request. Under
/// overload, a refusal must cost very little, and admitted calls must finish while their callers
/// still wait. No caller and no tenant can take [all places][FairBound]. All calls with an unknown
/// token count as one caller.
final class Admission extends SimpleDecoratingHttpService {
  /// The caller of the connection's last call, nearly always also of the next. Finding the caller
  /// by the token alone would cost more than the refusal. The token stays in memory no longer than
  /// in the connection's header table.
  private static final AttributeKey<Caller> LAST = AttributeKey.valueOf(Admission.class, "LAST");

  private static final Duration RETRY = Duration.ofSeconds(1);

  /// Any unknown caller; no resource has an empty name.
  private static final Caller STRANGER = new Caller("", "", "");

  /// By the path of the method.
  private final Map<String, Gate> gates;

  /// The gates of methods that are served as JSON too.
  private final List<Gate> gatesOfJson;

  private final TokenVerifier verifier;
  private final LongAdder refused;

  /// @param bounds the most calls in progress by method
  /// @param verifier identifies callers
  /// @param refused counts refused calls
  Admission(
      HttpService delegate,
      Map<MethodDescriptor<?, ?>, Integer> bounds,
      TokenVerifier verifier,
      LongAdder refused) {
    super(delegate);
    this.verifier = verifier;
    this.refused = refused;
    this.gates =
        bounds.entrySet().stream()
            .collect(
                Collectors.toUnmodifiableMap(
                    bound -> "/" + bound.getKey().getFullMethodName(),
                    bound -> new Gate(bound.getKey(), bound.getValue())));
    this.gatesOfJson = gates.values().stream().filter(gate -> !gate.json.isEmpty()).toList();
  }

  @Override
  public HttpResponse serve(ServiceRequestContext call, HttpRequest request) throws Exception {
    @Nullable Gate gate = gate(call);
    if (gate == null) {
      return unwrap().serve(call, request);
    }
    Caller caller = caller(call, request);
    if (!gate.bound.enter(caller.name(), caller.tenant(), 1)) {
      refused.increment();
      return gate.refuse(call);
    }
    try {
      HttpResponse answer = unwrap().serve(call, request);
      var _ =
          answer
              .whenComplete()
              .handle((_, _) -> {
                gate.bound.leave(caller.name(), caller.tenant(), 1);
                return null;
              });
      return answer;
    } catch (Exception | Error e) {
      gate.bound.leave(caller.name(), caller.tenant(), 1);
      throw e;
    }
  }

  private @Nullable Gate gate(ServiceRequestContext call) {
    @Nullable Gate gate = gates.get(call.path());
    if (gate != null || isGrpc(call)) {
      return gate;
    }
    return gatesOfJson.stream()
        .filter(each ->
            each.json.stream().anyMatch(json -> json.matches(call.method().name(), call.path())))
        .findFirst()
        .orElse(null);
  }

  private static boolean isGrpc(ServiceRequestContext call) {
    @Nullable MediaType type = call.request().contentType();
    return type != null && type.subtype().startsWith("grpc");
  }

  /// @param authorization the header that identified the caller
  private record Caller(String authorization, String name, String tenant) {
    /// Without what is secret.
    @Override
    public String toString() {
      return name;
    }
  }

  private Caller caller(ServiceRequestContext call, HttpRequest request) {
    @Nullable String authorization = request.headers().get(HttpHeaderNames.AUTHORIZATION);
    @Nullable Channel channel = call.log().partial().channel();
    if (authorization == null || channel == null) {
      return STRANGER;
    }
    @Nullable Caller last = channel.attr(LAST).get();
    if (last != null && last.authorization().equals(authorization)) {
      return last;
    }
    Optional<Caller> known =
        AuthInterceptor.token(authorization)
            .flatMap(verifier::recent)
            .map(principal -> of(authorization, principal));
    known.ifPresent(channel.attr(LAST)::set);
    return known.orElse(STRANGER);
  }

  private static Caller of(String authorization, Principal principal) {
    @Nullable String tenant = principal.tenant();
    return new Caller(
        authorization, principal.subject(), tenant == null ? principal.subject() : tenant);
  }

  private static final class Gate {
    private final FairBound bound;
    private final List<JsonPath> json;
    private final Refusal refusal;
    private final ResponseHeaders prepared;

    Gate(MethodDescriptor<?, ?> method, int most) {
      this.bound = new FairBound(most);
      this.json = JsonPath.of(method).toList();
      this.refusal =
          Refusal.exhausted(
              "OVERLOADED",
              "%s has %d calls in progress at most, half of them of one caller; try again"
                  .formatted(method.getBareMethodName(), most),
              RETRY);
      this.prepared = headers(GrpcFailures.proto(refusal));
    }

    HttpResponse refuse(ServiceRequestContext call) {
      return isGrpc(call) ? HttpResponse.of(prepared) : ErrorPages.answer(call, refusal);
    }
  }

  /// The complete answer, in gRPC's form for a status without messages.
  private static ResponseHeaders headers(Status status) {
    return ResponseHeaders.builder(HttpStatus.OK)
        .contentType(GrpcSerializationFormats.PROTO.mediaType())
        .addInt("grpc-status", status.getCode())
        .add("grpc-message", status.getMessage())
        .add(
            "grpc-status-details-bin",
            Base64.getEncoder().withoutPadding().encodeToString(status.toByteArray()))
        .endOfStream(true)
        .build();
  }
}
