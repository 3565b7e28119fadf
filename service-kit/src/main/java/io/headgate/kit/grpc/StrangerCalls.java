package io.headgate.kit.grpc;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.SimpleDecoratingHttpService;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCall.Listener;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerServiceDefinition;
import io.headgate.kit.auth.AuthInterceptor;
import io.headgate.kit.auth.TokenVerifier;
import io.headgate.kit.failure.Refusal;
import io.netty.util.AttributeKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Keeps gRPC calls without a good token on the [loop of strangers][StrangersLoop], with the
/// interceptors that refuse them. On the common threads they would take processor time from others.
/// The first check of a token takes long, so it happens on the threads that strangers have for it.
final class StrangerCalls extends SimpleDecoratingHttpService {
  private static final AttributeKey<Refusal> REFUSAL =
      AttributeKey.valueOf(StrangerCalls.class, "REFUSAL");

  private static final Refusal CONNECT_AGAIN =
      Refusal.unavailable(
          "CONNECT_AGAIN",
          "this connection began without a good token: open the stream over a new one",
          Duration.ZERO);

  /// The paths of methods that need a token.
  private final Set<String> guarded;

  /// The paths of methods among them whose answer is a stream.
  private final Set<String> streams;

  private final TokenVerifier verifier;

  StrangerCalls(
      HttpService delegate, List<ServerServiceDefinition> services, TokenVerifier verifier) {
    super(delegate);
    this.verifier = verifier;
    this.guarded = paths(services, _ -> true);
    this.streams = paths(services, method -> !method.getType().serverSendsOneMessage());
  }

  private static Set<String> paths(
      List<ServerServiceDefinition> services, Predicate<MethodDescriptor<?, ?>> which) {
    return services.stream()
        .flatMap(service -> service.getMethods().stream())
        .<MethodDescriptor<?, ?>>map(method -> method.getMethodDescriptor())
        .filter(method -> !AuthInterceptor.isAnonymous(method))
        .filter(which)
        .map(method -> "/" + method.getFullMethodName())
        .collect(Collectors.toUnmodifiableSet());
  }

  /// Refuses calls whose token was already found to be bad, before their token is checked.
  static ServerInterceptor refusals() {
    return new Refusals();
  }

  @Override
  public HttpResponse serve(ServiceRequestContext call, HttpRequest request) throws Exception {
    if (!guarded.contains(call.path()) || !StrangersLoop.reads(call)) {
      return unwrap().serve(call, request);
    }
    Optional<String> given =
        AuthInterceptor.token(request.headers().get(HttpHeaderNames.AUTHORIZATION));
    if (given.isEmpty()) {
      Handlers.keepOnEventLoop(call);
      return unwrap().serve(call, request);
    }
    String token = given.get();
    if (verifier.recent(token).isPresent()) {
      // Known, and so quick to check: it may have expired or been revoked since.
      refuse(call, token, verifier.refusal(token));
      return unwrap().serve(call, request);
    }
    return HttpResponse.of(
        TokenChecks.of(call, verifier, token)
            .thenApplyAsync(
                refusal -> {
                  refuse(call, token, refusal);
                  return serveLater(call, request);
                },
                call.eventLoop()));
  }

  /// Refuses a call with a bad token, and a stream with a good one: it may last for days, and would
  /// stay on this loop. Also asks the client to connect again. It may come with a new token, or
  /// keys may be there then, and the lobby decides anew.
  private void refuse(ServiceRequestContext call, String token, Optional<Refusal> refusal) {
    Optional<Refusal> answer = refusal.isPresent() ? refusal : elsewhere(call, token);
    answer.ifPresent(why -> {
      call.setAttr(REFUSAL, why);
      Handlers.keepOnEventLoop(call);
      var _ = call.initiateConnectionShutdown();
    });
  }

  private Optional<Refusal> elsewhere(ServiceRequestContext call, String token) {
    return streams.contains(call.path())
            && verifier
                .recent(token)
                .filter(caller -> StrangersLoop.mayAsk(call, caller.subject()))
                .isPresent()
        ? Optional.of(CONNECT_AGAIN)
        : Optional.empty();
  }

  private HttpResponse serveLater(ServiceRequestContext call, HttpRequest request) {
    try {
      return unwrap().serve(call, request);
    } catch (Exception e) {
      return HttpResponse.ofFailure(e);
    }
  }

  private static final class Refusals implements ServerInterceptor {
    @Override
    public <ReqT, RespT> Listener<ReqT> interceptCall(
        ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
      @Nullable Refusal refusal = ServiceRequestContext.current().attr(REFUSAL);
      if (refusal != null) {
        throw refusal.exception();
      }
      return next.startCall(call, headers);
    }
  }
}
