package io.headgate.policy.runtime;

import io.headgate.kit.auth.Role;
import io.headgate.kit.grpc.DeniedCalls;
import io.headgate.kit.telemetry.MetricDefinition;
import io.headgate.kit.telemetry.ServiceMetrics;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import java.util.List;

/// The metrics of this service. No attribute names a person, a key or an address. Thread-safe.
public final class PolicyMetrics {
  public static final MetricDefinition TOKENS =
      MetricDefinition.counter(
              "headgate.auth.tokens", "{token}", "issued tokens", ServiceMetrics.ROLE)
          .atZero(MetricDefinition.FROM_THE_START);
  public static final MetricDefinition CHANGES =
      MetricDefinition.counter(
              "headgate.access.changes",
              "{change}",
              "new versions of tenants' access configurations")
          .atZero(MetricDefinition.FROM_THE_START);

  /// All of them, in the order of the reference.
  public static final List<MetricDefinition> ALL = List.of(TOKENS, CHANGES);

  private final DeniedCalls denied;
  private final LongCounter tokens;
  private final LongCounter changes;

  public PolicyMetrics(Meter meter, DeniedCalls denied) {
    this.denied = denied;
    this.tokens = TOKENS.counter(meter);
    this.changes = CHANGES.counter(meter);
    denied.expect("ExchangeKey", "KEY_REJECTED");
    denied.expect("EnrollNode", "JOIN_TOKEN_REJECTED");
    for (Role role : Role.values()) {
      tokens.add(0, of(role));
    }
    changes.add(0);
  }

  /// A call was refused because of its caller by a code that does not say so, and that the server
  /// therefore does not count. Both values come from the contract, so there are few of them.
  void denied(String method, String reason) {
    denied.count(method, reason);
  }

  void tokenIssued(String role) {
    tokens.add(1, of(Role.valueOf(role)));
  }

  private static Attributes of(Role role) {
    return Attributes.of(ServiceMetrics.ROLE, role.claim());
  }

  /// A tenant's access configuration has a new version.
  public void accessChanged() {
    changes.add(1);
  }
}
