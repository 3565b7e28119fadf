package io.headgate.kit.grpc;

import com.google.common.net.HttpHeaders;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.SimpleDecoratingHttpService;
import io.grpc.ServerServiceDefinition;
import io.headgate.kit.auth.AuthInterceptor;
import io.headgate.kit.auth.TokenVerifier;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.failure.RefusalException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Checks the token of an HTTP request before anything reads its body. A JSON body becomes a
/// message before the gRPC interceptors run, and parsing costs far more than the check. Calls of
/// gRPC pass: their interceptors check the token before they read the message. Reflection has no
/// interceptors, so its token is checked here.
final class TokenFirst extends SimpleDecoratingHttpService {
  private static final String REFLECTION = "/grpc.reflection.";

  private final TokenVerifier verifier;
  private final List<Pattern> open;
  private final boolean servesMethods;
  private final boolean isReflectionOpen;
  private final DeniedPaths denied;

  /// @param open paths that need no token
  /// @param servesMethods whether interceptors check the token of calls of gRPC; pages have none
  private TokenFirst(
      HttpService delegate,
      TokenVerifier verifier,
      List<Pattern> open,
      boolean servesMethods,
      boolean isReflectionOpen,
      DeniedPaths denied) {
    super(delegate);
    this.verifier = verifier;
    this.open = open;
    this.servesMethods = servesMethods;
    this.isReflectionOpen = isReflectionOpen;
    this.denied = denied;
  }

  /// Before the methods of `services` as JSON, and before reflection unless it is open.
  static TokenFirst beforeMethods(
      HttpService delegate,
      TokenVerifier verifier,
      List<ServerServiceDefinition> services,
      boolean isReflectionOpen,
      DeniedPaths denied) {
    return new TokenFirst(
        delegate,
        verifier,
        services.stream()
            .flatMap(service -> service.getMethods().stream())
            .map(method -> method.getMethodDescriptor())
            .filter(AuthInterceptor::isAnonymous)
            .flatMap(JsonPath::of)
            .map(JsonPath::path)
            .toList(),
        true,
        isReflectionOpen,
        denied);
  }

  /// Before pages for every signed-in caller.
  static TokenFirst beforePages(HttpService delegate, TokenVerifier verifier, DeniedPaths denied) {
    return new TokenFirst(delegate, verifier, List.of(), false, false, denied);
  }

  @Override
  public HttpResponse serve(ServiceRequestContext call, HttpRequest request) throws Exception {
    MediaType type = request.contentType();
    boolean grpc = type != null && type.subtype().startsWith("grpc");
    String path = call.path();
    boolean passes = servesMethods && grpc && (isReflectionOpen || !path.startsWith(REFLECTION));
    if (passes || open.stream().anyMatch(pattern -> pattern.matcher(path).matches())) {
      return unwrap().serve(call, request);
    }
    String header = request.headers().get(HttpHeaders.AUTHORIZATION);
    Optional<String> token = AuthInterceptor.token(header);
    if (token.flatMap(verifier::recent).isPresent()) {
      // Known, and so quick to check: it may have expired or been revoked since.
      Optional<Refusal> refusal = refusal(header);
      return refusal.isPresent() ? refused(call, refusal.get()) : unwrap().serve(call, request);
    }
    if (token.isEmpty()) {
      return refusal(header).map(no -> refused(call, no)).orElseThrow();
    }
    // The first check of a token takes long and may wait for keys.
    return HttpResponse.of(
        TokenChecks.of(call, verifier, token.get())
            .thenApplyAsync(
                refusal ->
                    refusal.map(no -> refused(call, no)).orElseGet(() -> serveLater(call, request)),
                call.eventLoop()));
  }

  private HttpResponse refused(ServiceRequestContext call, Refusal refusal) {
    denied.of(call.path()).refused(refusal);
    Connections.of(call).ifPresent(Connections.Connection::failed);
    return ErrorPages.answer(call, refusal);
  }

  private Optional<Refusal> refusal(@Nullable String header) {
    try {
      verifier.verify(AuthInterceptor.requireToken(header));
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
}
