package io.headgate.policy.grpc;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCall.Listener;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.headgate.kit.auth.Principal;
import io.headgate.kit.auth.Principals;
import io.headgate.kit.auth.TokenStamp;
import io.headgate.kit.config.Secret;
import io.headgate.kit.grpc.ClientAddresses;
import io.headgate.kit.grpc.RequestIds;
import io.headgate.policy.core.identity.Caller;
import io.headgate.policy.core.identity.PrincipalRole;
import io.headgate.policy.core.key.KeyId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.port.Origin;
import java.util.Optional;

/// The facts about the current call besides its request.
final class CallFacts {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final String SCHEME = "bearer ";
  private static final Context.Key<CallFacts> KEY = Context.key("policy-call");

  private final String method;
  private final Optional<Secret> token;

  private CallFacts(String method, Optional<Secret> token) {
    this.method = method;
    this.token = token;
  }

  /// Stores the facts for the endpoint. A token is valid here, because the access check came first.
  static ServerInterceptor interceptor() {
    return new ServerInterceptor() {
      @Override
      public <Q, A> Listener<Q> interceptCall(
          ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        String method = call.getMethodDescriptor().getFullMethodName();
        CallFacts facts = new CallFacts(method, bearer(headers.get(AUTHORIZATION)));
        return Contexts.interceptCall(Context.current().withValue(KEY, facts), call, headers, next);
      }
    };
  }

  static CallFacts current() {
    return Optional.ofNullable(KEY.get())
        .orElseThrow(() -> new IllegalStateException("no call is being served"));
  }

  /// The full name of the RPC.
  String method() {
    return method;
  }

  /// The name of the RPC alone: `CreateUser`.
  String action() {
    return method.substring(method.lastIndexOf('/') + 1);
  }

  Origin origin() {
    return new Origin(
        Principals.find().map(CallFacts::caller),
        ClientAddresses.current(),
        RequestIds.current(),
        token,
        Principals.find().flatMap(CallFacts::key));
  }

  static Caller caller(Principal principal) {
    return new Caller(
        principal.subject(),
        switch (principal.role()) {
          case PLATFORM_OPERATOR -> PrincipalRole.PLATFORM_OPERATOR;
          case TENANT_ADMIN -> PrincipalRole.TENANT_ADMIN;
          case MEMBER -> PrincipalRole.MEMBER;
          case SERVICE_ACCOUNT -> PrincipalRole.SERVICE_ACCOUNT;
          case NODE -> PrincipalRole.NODE;
          case SERVICE -> PrincipalRole.SERVICE;
        },
        Optional.ofNullable(principal.tenant()).map(TenantId::new));
  }

  private static Optional<KeyId> key(Principal principal) {
    return Optional.of(TokenStamp.of(principal).key()).filter(KeyId::isValid).map(KeyId::new);
  }

  private static Optional<Secret> bearer(String header) {
    return header != null && header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        ? Optional.of(Secret.of(header.substring(SCHEME.length()).strip()))
        : Optional.empty();
  }
}
