package io.headgate.policy.runtime;

import io.headgate.kit.auth.Role;
import io.headgate.kit.telemetry.MetricDefinition;
import io.headgate.kit.telemetry.ServiceMetrics;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import java.util.List;

/// The metrics of this service. No attribute names a person, a key or an address. Thread-safe.
public final class PolicyMetrics {
  public static final AttributeKey<String> METHOD = AttributeKey.stringKey("headgate.method");
  public static final AttributeKey<String> REASON = AttributeKey.stringKey("headgate.reason");

  public static final MetricDefinition DENIED =
      MetricDefinition.counter(
              "headgate.auth.denied", "{call}", "calls refused for lack of rights", METHOD, REASON)
          .when("a call was refused");
  public static final MetricDefinition TOKENS =
      MetricDefinition.counter(
          "headgate.auth.tokens", "{token}", "issued tokens", ServiceMetrics.ROLE);
  public static final MetricDefinition CHANGES =
      MetricDefinition.counter(
          "headgate.access.changes", "{change}", "new versions of tenants' access configurations");

  /// All of them, in the order of the reference.
  public static final List<MetricDefinition> ALL = List.of(DENIED, TOKENS, CHANGES);

  private final LongCounter denied;
  private final LongCounter tokens;
  private final LongCounter changes;

  public PolicyMetrics(Meter meter) {
    this.denied = DENIED.counter(meter);
    this.tokens = TOKENS.counter(meter);
    this.changes = CHANGES.counter(meter);
  }

  /// Both values come from the contract, so there are few of them.
  void denied(String method, String reason) {
    denied.add(1, Attributes.of(METHOD, method, REASON, reason));
  }

  void tokenIssued(String role) {
    tokens.add(1, Attributes.of(ServiceMetrics.ROLE, Role.valueOf(role).claim()));
  }

  /// A tenant's access configuration has a new version.
  public void accessChanged() {
    changes.add(1);
  }
}
