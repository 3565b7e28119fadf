package io.headgate.kit.auth;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCall.Listener;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.failure.RefusalException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Checks the access rule of each call before its handler runs, and puts the {@link Principal} into
/// the call's context. It refuses a method without a rule.
public final class AuthInterceptor implements ServerInterceptor {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final String SCHEME = "bearer ";

  private final TokenVerifier verifier;
  private final DeniedCallListener denied;

  public AuthInterceptor(TokenVerifier verifier, DeniedCallListener denied) {
    this.verifier = verifier;
    this.denied = denied;
  }

  /// The full names of the methods without a rule; a server with such a method does not start.
  public static List<String> methodsWithoutRule(List<ServerServiceDefinition> services) {
    List<String> missing = new ArrayList<>();
    for (ServerServiceDefinition service : services) {
      for (ServerMethodDefinition<?, ?> method : service.getMethods()) {
        if (AccessRule.of(method.getMethodDescriptor()).isEmpty()) {
          missing.add(method.getMethodDescriptor().getFullMethodName());
        }
      }
    }
    return missing;
  }

  /// The roles that may call `method`; empty for an anonymous method and for a method without a
  /// rule.
  public static Set<Role> roles(MethodDescriptor<?, ?> method) {
    return AccessRule.of(method).orElse(null) instanceof AccessRule.Roles(var roles)
        ? roles
        : Set.of();
  }

  @Override
  public <ReqT, RespT> Listener<ReqT> interceptCall(
      ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
    AccessRule rule =
        AccessRule.of(call.getMethodDescriptor())
            .orElseThrow(() ->
                Refusal.permissionDenied(
                        "ACCESS_DENIED", "the contract allows no caller for this method")
                    .exception());
    // Tokens sent to anonymous methods are ignored: verification would need the keys that such a
    // method may serve.
    if (!(rule instanceof AccessRule.Roles(var roles))) {
      return next.startCall(call, headers);
    }
    Principal principal = verifier.verify(requireToken(headers.get(AUTHORIZATION)));
    if (!roles.contains(principal.role())) {
      denied.denied(principal, call.getMethodDescriptor().getFullMethodName());
      throw roleDenied(roles, principal);
    }
    if (principal.role().isGoverning() && !AccessRule.isRead(call.getMethodDescriptor())) {
      verifier.requireNews();
    }
    Context context = Context.current().withValue(Principals.KEY, principal);
    return Contexts.interceptCall(context, call, headers, next);
  }

  private static RefusalException roleDenied(Set<Role> roles, Principal principal) {
    String needed = roles.stream().map(Role::claim).sorted().collect(Collectors.joining(" or "));
    return Refusal.permissionDenied(
            "ROLE_DENIED",
            "a " + principal.role().claim() + " may not do this: it takes a " + needed)
        .withMetadata("role", principal.role().claim())
        .exception();
  }

  /// Whether `method` needs no token.
  public static boolean isAnonymous(MethodDescriptor<?, ?> method) {
    return AccessRule.of(method).orElse(null) instanceof AccessRule.Anonymous;
  }

  /// The bearer token in the header.
  ///
  /// @throws RefusalException UNAUTHENTICATED with reason TOKEN_MISSING or TOKEN_INVALID
  public static String requireToken(@Nullable String header) {
    if (header == null) {
      throw Refusal.of(
              Status.Code.UNAUTHENTICATED,
              "TOKEN_MISSING",
              "this method needs a token: send 'authorization: Bearer TOKEN'")
          .exception();
    }
    return token(header)
        .orElseThrow(() ->
            Refusal.of(
                    Status.Code.UNAUTHENTICATED,
                    "TOKEN_INVALID",
                    "the authorization header is not 'Bearer TOKEN'")
                .exception());
  }

  /// The bearer token in the header, or empty text.
  public static Optional<String> token(@Nullable String header) {
    return header != null && header.toLowerCase(Locale.ROOT).startsWith(SCHEME)
        ? Optional.of(header.substring(SCHEME.length()).strip())
        : Optional.empty();
  }
}
