package io.headgate.pool.grpc;

import io.grpc.stub.StreamObserver;
import io.headgate.kit.audit.AuditChain;
import io.headgate.kit.audit.AuditFinding;
import io.headgate.kit.audit.AuditMessages;
import io.headgate.kit.auth.Principals;
import io.headgate.kit.failure.Refusal;
import io.headgate.proto.pool.v1.AuditServiceGrpc;
import io.headgate.proto.pool.v1.VerifyAuditLogRequest;
import io.headgate.proto.pool.v1.VerifyAuditLogResponse;
import java.util.Optional;

/// Checks the audit log of the service against its chain.
public final class AuditEndpoint extends AuditServiceGrpc.AuditServiceImplBase {
  private final AuditChain chain;

  public AuditEndpoint(AuditChain chain) {
    this.chain = chain;
  }

  @Override
  public void verifyAuditLog(
      VerifyAuditLogRequest request, StreamObserver<VerifyAuditLogResponse> out) {
    AuditFinding found =
        chain.verify(
            chainOf(request.getParent()),
            request.hasAfter()
                ? Optional.of(AuditMessages.anchor(request.getAfter()))
                : Optional.empty(),
            request.getAnchorsList().stream().map(AuditMessages::anchor).toList());
    VerifyAuditLogResponse.Builder answer =
        VerifyAuditLogResponse.newBuilder()
            .setChecked(found.checked())
            .setComplete(found.complete())
            .setUnchained(found.unchained());
    found.reached().map(AuditMessages::message).ifPresent(answer::setReached);
    found.fault().map(AuditMessages::message).ifPresent(answer::setFault);
    out.onNext(answer.build());
    out.onCompleted();
  }

  private static String chainOf(String parent) {
    if (parent.isEmpty()) {
      if (Principals.current().role().isBoundToTenant()) {
        throw Refusal.permissionDenied(
                "ACCESS_DENIED", "only an operator may check the chain of no tenant: set parent")
            .exception();
      }
      return AuditChain.OF_NO_TENANT;
    }
    return Names.parent(parent).value();
  }
}
