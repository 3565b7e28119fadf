package io.headgate.pool.grpc;

import io.grpc.stub.StreamObserver;
import io.headgate.kit.audit.AuditChain;
import io.headgate.kit.audit.AuditFinding;
import io.headgate.kit.audit.AuditFinding.Fault;
import io.headgate.kit.auth.Principals;
import io.headgate.kit.failure.Refusal;
import io.headgate.proto.pool.v1.AuditServiceGrpc;
import io.headgate.proto.pool.v1.VerifyAuditLogRequest;
import io.headgate.proto.pool.v1.VerifyAuditLogResponse;
import io.headgate.proto.type.v1.AuditAnchor;
import io.headgate.proto.type.v1.AuditFault;
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
            request.hasAfter() ? Optional.of(anchor(request.getAfter())) : Optional.empty(),
            request.getAnchorsList().stream().map(AuditEndpoint::anchor).toList());
    VerifyAuditLogResponse.Builder answer =
        VerifyAuditLogResponse.newBuilder()
            .setChecked(found.checked())
            .setComplete(found.complete())
            .setUnchained(found.unchained());
    found
        .reached()
        .ifPresent(last ->
            answer.setReached(
                AuditAnchor.newBuilder().setSequence(last.sequence()).setHash(last.hash())));
    found.fault().map(AuditEndpoint::fault).ifPresent(answer::setFault);
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

  private static io.headgate.kit.audit.AuditAnchor anchor(AuditAnchor anchor) {
    return new io.headgate.kit.audit.AuditAnchor(anchor.getSequence(), anchor.getHash());
  }

  private static AuditFault fault(Fault fault) {
    AuditFault.Builder told = AuditFault.newBuilder();
    return switch (fault) {
      case Fault.Missing(long sequence, long auditId) ->
          told.setKind(AuditFault.Kind.KIND_MISSING)
              .setSequence(sequence)
              .setAuditId(auditId)
              .build();
      case Fault.CutOff(long sequence) ->
          told.setKind(AuditFault.Kind.KIND_CUT_OFF).setSequence(sequence).build();
      case Fault.Changed(long sequence, long auditId) ->
          told.setKind(AuditFault.Kind.KIND_CHANGED)
              .setSequence(sequence)
              .setAuditId(auditId)
              .build();
      case Fault.Added(long auditId) ->
          told.setKind(AuditFault.Kind.KIND_ADDED).setAuditId(auditId).build();
    };
  }
}
