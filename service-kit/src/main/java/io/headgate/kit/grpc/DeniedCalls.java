package io.headgate.kit.grpc;

import io.grpc.MethodDescriptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.headgate.kit.auth.AuthInterceptor;
import io.headgate.kit.auth.Role;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.telemetry.ServiceMetrics;
import io.headgate.kit.telemetry.Telemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.LongCounter;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/// Counts the calls that one service refuses because of their caller. Methods and reasons come from
/// the contract, so there are few of them. Thread-safe.
///
/// Where the token is not good the method is left out: a stranger chooses it, and each method would
/// need a series for each fault of a token.
public final class DeniedCalls {
  /// Faults of a token.
  private static final List<String> OF_TOKENS =
      List.of("TOKEN_MISSING", "TOKEN_INVALID", "TOKEN_EXPIRED", "TOKEN_REVOKED");

  private static final Set<Status.Code> CODES =
      Set.of(Status.Code.UNAUTHENTICATED, Status.Code.PERMISSION_DENIED);

  /// A foreign tenant is refused as if it were absent.
  private static final String FOREIGN = "TENANT_NOT_FOUND";

  private final LongCounter counter;

  private DeniedCalls(LongCounter counter) {
    this.counter = counter;
    OF_TOKENS.forEach(reason -> counter.add(0, ofToken(reason)));
  }

  /// Counts under the name of the service that `telemetry` is of.
  public static DeniedCalls of(Telemetry telemetry) {
    return new DeniedCalls(ServiceMetrics.DENIED.counter(telemetry.meter("io.headgate.kit.grpc")));
  }

  /// Lets the refusals of a method for this reason exist, at 0.
  ///
  /// @param method its name without its service
  public void expect(String method, String reason) {
    counter.add(0, ofMethod(method, reason));
  }

  /// Some roles may not call most methods of `service`.
  void expect(ServerServiceDefinition service) {
    for (ServerMethodDefinition<?, ?> each : service.getMethods()) {
      int roles = AuthInterceptor.roles(each.getMethodDescriptor()).size();
      if (roles > 0 && roles < Role.values().length) {
        expect(name(each.getMethodDescriptor()), "ROLE_DENIED");
      }
    }
  }

  /// Counts a refusal that is due to the caller, whatever its code says.
  ///
  /// @param method its name without its service
  public void count(String method, String reason) {
    counter.add(1, ofMethod(method, reason));
  }

  /// Counts `refusal` if it is due to the caller.
  void refused(MethodDescriptor<?, ?> method, Refusal refusal) {
    boolean counts = CODES.contains(refusal.code()) || refusal.reason().equals(FOREIGN);
    if (refusal.code() == Status.Code.UNAUTHENTICATED && !AuthInterceptor.isAnonymous(method)) {
      refused(refusal);
    } else if (counts) {
      count(name(method), refusal.reason());
    }
  }

  /// Counts `refusal` of a call whose method is not known yet, if its token was not good.
  void refused(Refusal refusal) {
    if (refusal.code() == Status.Code.UNAUTHENTICATED) {
      counter.add(1, ofToken(refusal.reason()));
    }
  }

  private static String name(MethodDescriptor<?, ?> method) {
    return Objects.requireNonNull(method.getBareMethodName());
  }

  private static Attributes ofToken(String reason) {
    return Attributes.of(ServiceMetrics.REASON, reason);
  }

  private static Attributes ofMethod(String method, String reason) {
    return Attributes.of(ServiceMetrics.METHOD, method, ServiceMetrics.REASON, reason);
  }
}
