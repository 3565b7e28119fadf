package io.headgate.kit.grpc;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.SimpleDecoratingHttpService;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCall.Listener;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerServiceDefinition;
import io.headgate.kit.auth.AuthInterceptor;
import io.headgate.kit.auth.TokenVerifier;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.failure.RefusalException;
import io.netty.util.AttributeKey;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Keeps gRPC calls without a good token on the [loop of strangers][StrangersLoop], with the
/// interceptors that refuse them. On the common threads they would take processor time from others.
/// The first check of a token takes long, so it happens on the threads that strangers have for it.
final class StrangerCalls extends SimpleDecoratingHttpService {
  private static final AttributeKey<Refusal> REFUSAL =
      AttributeKey.valueOf(StrangerCalls.class, "REFUSAL");

  /// The paths of methods that need a token.
  private final Set<String> guarded;

  private final TokenVerifier verifier;

  StrangerCalls(
      HttpService delegate, List<ServerServiceDefinition> services, TokenVerifier verifier) {
    super(delegate);
    this.verifier = verifier;
    this.guarded =
        services.stream()
            .flatMap(service -> service.getMethods().stream())
            .map(method -> method.getMethodDescriptor())
            .filter(method -> !AuthInterceptor.isAnonymous(method))
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
    Optional<String> token =
        AuthInterceptor.token(request.headers().get(HttpHeaderNames.AUTHORIZATION));
    if (token.isEmpty()) {
      Handlers.keepOnEventLoop(call);
      return unwrap().serve(call, request);
    }
    if (verifier.recent(token.get()).isPresent()) {
      return unwrap().serve(call, request);
    }
    return HttpResponse.of(
        CompletableFuture.supplyAsync(() -> refusal(token.get()), StrangersLoop.checkers(call))
            .thenApplyAsync(
                refusal -> {
                  refusal.ifPresent(why -> refuse(call, why));
                  return serveLater(call, request);
                },
                call.eventLoop()));
  }

  /// Also asks the client to connect again. It may come with a new token, or keys may be there
  /// then, and the lobby decides anew. A stream that began here would stay on this loop.
  private static void refuse(ServiceRequestContext call, Refusal refusal) {
    call.setAttr(REFUSAL, refusal);
    Handlers.keepOnEventLoop(call);
    var _ = call.initiateConnectionShutdown();
  }

  private Optional<Refusal> refusal(String token) {
    try {
      var _ = verifier.verify(token);
      return Optional.empty();
    } catch (RefusalException e) {
      return Optional.of(e.refusal());
    }
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
