package io.headgate.kit.grpc;

import com.google.rpc.Status;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
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
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Bounds how many calls of a method are in progress. One beyond is refused at once, by an answer
/// that was made beforehand and without its request being read: when more is asked for than can be
/// done, what is refused must cost next to nothing, and what is done must be done while its caller
/// still waits for it. No caller's and no tenant's calls take [all places][FairBound]; calls with a
/// token that is not known yet count as one caller's.
final class Admission extends SimpleDecoratingHttpService {
  /// Who called last over a connection, which is nearly always who calls next: to find that out by
  /// the token alone would cost more than to refuse. The token stays in memory no longer than in
  /// the connection's table of headers.
  private static final AttributeKey<Caller> LAST = AttributeKey.valueOf(Admission.class, "LAST");

  private static final Duration RETRY = Duration.ofSeconds(1);

  /// Whoever is not known yet; no resource is named so.
  private static final Caller STRANGER = new Caller("", "", "");

  /// By the path of each method.
  private final Map<String, Gate> gates;

  private final TokenVerifier verifier;
  private final LongAdder refused;

  /// @param bounds the most calls of each method
  /// @param verifier knows who calls
  /// @param refused counts what is refused
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
  }

  @Override
  public HttpResponse serve(ServiceRequestContext call, HttpRequest request) throws Exception {
    @Nullable Gate gate = gates.get(call.path());
    if (gate == null) {
      return unwrap().serve(call, request);
    }
    Caller caller = caller(call, request);
    if (!gate.bound.enter(caller.name(), caller.tenant(), 1)) {
      refused.increment();
      return HttpResponse.of(gate.refusal);
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

  /// @param authorization the header by which it was found out
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
    private final ResponseHeaders refusal;

    Gate(MethodDescriptor<?, ?> method, int most) {
      this.bound = new FairBound(most);
      this.refusal =
          headers(
              GrpcFailures.proto(
                  Refusal.exhausted(
                      "OVERLOADED",
                      "%s has %d calls in progress at most, half of them of one caller; try again"
                          .formatted(method.getBareMethodName(), most),
                      RETRY)));
    }
  }

  /// The whole answer, as gRPC has it where nothing but a status is said.
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
