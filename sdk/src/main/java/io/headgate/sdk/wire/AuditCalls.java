package io.headgate.sdk.wire;

import io.headgate.proto.policy.v1.AuditServiceGrpc;
import io.headgate.proto.policy.v1.VerifyAuditLogRequest;
import io.headgate.proto.policy.v1.VerifyAuditLogResponse;
import io.headgate.proto.type.v1.AuditAnchor;
import io.headgate.proto.type.v1.AuditFault;
import java.util.List;
import java.util.Optional;

/// Checks of audit logs. Each check is a series of calls that follow the chain to its end.
public final class AuditCalls {
  private final Connection connection;

  public AuditCalls(Connection connection) {
    this.connection = connection;
  }

  /// The logs that have a chain.
  public enum Log {
    /// The log of policy-service: rights and identity.
    POLICY,
    /// The log of pool-service: supply.
    POOL
  }

  /// The result of following one chain.
  ///
  /// @param checked entries that agree with the chain
  /// @param reached last one of them; empty: there was none
  /// @param fault first disagreement; empty: there is none
  /// @param unchained entries from before there was a chain
  public record Outcome(
      long checked, Optional<AuditAnchor> reached, Optional<AuditFault> fault, long unchained) {}

  /// Follows a chain to its end or its first fault.
  ///
  /// @param parent `tenants/acme`; empty: the chain of entries without a tenant
  /// @param anchors entries that the chain must contain
  public Outcome verify(Log log, String parent, List<AuditAnchor> anchors) {
    long checked = 0;
    Optional<AuditAnchor> reached = Optional.empty();
    while (true) {
      Step step =
          switch (log) {
            case POLICY -> policy(parent, reached, anchors);
            case POOL -> pool(parent, reached, anchors);
          };
      checked += step.checked();
      reached = step.reached().or(step::before);
      if (step.complete()) {
        return new Outcome(checked, reached, step.fault(), step.unchained());
      }
    }
  }

  private record Step(
      long checked,
      Optional<AuditAnchor> before,
      Optional<AuditAnchor> reached,
      boolean complete,
      Optional<AuditFault> fault,
      long unchained) {}

  private Step policy(String parent, Optional<AuditAnchor> after, List<AuditAnchor> anchors) {
    VerifyAuditLogRequest.Builder request =
        VerifyAuditLogRequest.newBuilder().setParent(parent).addAllAnchors(anchors);
    after.ifPresent(request::setAfter);
    VerifyAuditLogResponse answer =
        connection.call(
            AuditServiceGrpc.getVerifyAuditLogMethod(), request.build(), Idempotency.IDEMPOTENT);
    return new Step(
        answer.getChecked(),
        after,
        answer.hasReached() ? Optional.of(answer.getReached()) : Optional.empty(),
        answer.getComplete(),
        answer.hasFault() ? Optional.of(answer.getFault()) : Optional.empty(),
        answer.getUnchained());
  }

  private Step pool(String parent, Optional<AuditAnchor> after, List<AuditAnchor> anchors) {
    io.headgate.proto.pool.v1.VerifyAuditLogRequest.Builder request =
        io.headgate.proto.pool.v1.VerifyAuditLogRequest.newBuilder()
            .setParent(parent)
            .addAllAnchors(anchors);
    after.ifPresent(request::setAfter);
    io.headgate.proto.pool.v1.VerifyAuditLogResponse answer =
        connection.call(
            io.headgate.proto.pool.v1.AuditServiceGrpc.getVerifyAuditLogMethod(),
            request.build(),
            Idempotency.IDEMPOTENT);
    return new Step(
        answer.getChecked(),
        after,
        answer.hasReached() ? Optional.of(answer.getReached()) : Optional.empty(),
        answer.getComplete(),
        answer.hasFault() ? Optional.of(answer.getFault()) : Optional.empty(),
        answer.getUnchained());
  }
}
