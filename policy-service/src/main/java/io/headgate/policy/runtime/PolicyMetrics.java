package io.headgate.policy.runtime;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;

/// The metrics of this service. No attribute names a person, a key or an address. Thread-safe.
public final class PolicyMetrics {
  static final AttributeKey<String> METHOD = AttributeKey.stringKey("headgate.method");
  static final AttributeKey<String> REASON = AttributeKey.stringKey("headgate.reason");
  static final AttributeKey<String> ROLE = AttributeKey.stringKey("headgate.role");

  private final LongCounter denied;
  private final LongCounter tokens;
  private final LongCounter changes;

  public PolicyMetrics(Meter meter) {
    this.denied =
        meter
            .counterBuilder("headgate.auth.denied")
            .setUnit("{call}")
            .setDescription("Calls refused for their caller's role or rights.")
            .build();
    this.tokens =
        meter
            .counterBuilder("headgate.auth.tokens")
            .setUnit("{token}")
            .setDescription("Tokens issued.")
            .build();
    this.changes =
        meter
            .counterBuilder("headgate.access.changes")
            .setUnit("{change}")
            .setDescription("New versions of tenants' access configurations.")
            .build();
  }

  /// Both values come from the contract, so there are few of them.
  void denied(String method, String reason) {
    denied.add(1, Attributes.of(METHOD, method, REASON, reason));
  }

  void tokenIssued(String role) {
    tokens.add(1, Attributes.of(ROLE, role));
  }

  /// A tenant's access configuration has a new version.
  public void accessChanged() {
    changes.add(1);
  }
}
