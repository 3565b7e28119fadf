package io.headgate.kit.grpc;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.SimpleDecoratingHttpService;
import io.grpc.MethodDescriptor;
import io.headgate.kit.auth.AuthInterceptor;
import io.headgate.kit.auth.Principal;
import io.headgate.kit.auth.Role;
import io.headgate.kit.auth.TokenVerifier;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/// Keeps calls of some methods on the event loop that reads their connection, once their caller is
/// known to have the right. Verifying a new token takes long and may wait for keys, so it happens
/// on another thread first. A call to refuse also leaves the event loop, because the listener of
/// refusals may block.
final class PromptCalls extends SimpleDecoratingHttpService {
  /// The roles that may call a method, by its path.
  private final Map<String, Set<Role>> methods;

  private final TokenVerifier verifier;

  PromptCalls(
      HttpService delegate, Collection<MethodDescriptor<?, ?>> methods, TokenVerifier verifier) {
    super(delegate);
    this.methods =
        methods.stream()
            .collect(
                Collectors.toUnmodifiableMap(
                    method -> "/" + method.getFullMethodName(), AuthInterceptor::roles));
    this.verifier = verifier;
  }

  @Override
  public HttpResponse serve(ServiceRequestContext call, HttpRequest request) throws Exception {
    Set<Role> roles = methods.getOrDefault(call.path(), Set.of());
    Optional<String> token =
        roles.isEmpty()
            ? Optional.empty()
            : AuthInterceptor.token(request.headers().get(HttpHeaderNames.AUTHORIZATION));
    if (token.isEmpty()) {
      return unwrap().serve(call, request);
    }
    Optional<Principal> recent = verifier.recent(token.get());
    if (recent.isPresent()) {
      return serve(call, request, roles.contains(recent.get().role()));
    }
    return HttpResponse.of(
        CompletableFuture.supplyAsync(
                () -> verifier.checkAnew(token.get()), call.blockingTaskExecutor())
            .thenApplyAsync(
                caller ->
                    serveLater(
                        call,
                        request,
                        caller.map(Principal::role).filter(roles::contains).isPresent()),
                call.eventLoop()));
  }

  private HttpResponse serve(ServiceRequestContext call, HttpRequest request, boolean isPrompt)
      throws Exception {
    if (isPrompt) {
      Handlers.keepOnEventLoop(call);
    }
    return unwrap().serve(call, request);
  }

  private HttpResponse serveLater(
      ServiceRequestContext call, HttpRequest request, boolean isPrompt) {
    try {
      return serve(call, request, isPrompt);
    } catch (Exception e) {
      return HttpResponse.ofFailure(e);
    }
  }
}
