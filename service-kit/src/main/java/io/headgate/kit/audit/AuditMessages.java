package io.headgate.kit.audit;

import io.headgate.proto.type.v1.AuditFault;

/// Anchors and faults of an audit log as the contract has them.
public final class AuditMessages {
  private AuditMessages() {}

  public static AuditAnchor anchor(io.headgate.proto.type.v1.AuditAnchor anchor) {
    return new AuditAnchor(anchor.getSequence(), anchor.getHash());
  }

  public static io.headgate.proto.type.v1.AuditAnchor message(AuditAnchor anchor) {
    return io.headgate.proto.type.v1.AuditAnchor.newBuilder()
        .setSequence(anchor.sequence())
        .setHash(anchor.hash())
        .build();
  }

  public static AuditFault message(AuditFinding.Fault fault) {
    AuditFault.Builder told = AuditFault.newBuilder();
    return switch (fault) {
      case AuditFinding.Fault.Missing(long sequence, long auditId) ->
          told.setKind(AuditFault.Kind.KIND_MISSING)
              .setSequence(sequence)
              .setAuditId(auditId)
              .build();
      case AuditFinding.Fault.CutOff(long sequence) ->
          told.setKind(AuditFault.Kind.KIND_CUT_OFF).setSequence(sequence).build();
      case AuditFinding.Fault.Changed(long sequence, long auditId) ->
          told.setKind(AuditFault.Kind.KIND_CHANGED)
              .setSequence(sequence)
              .setAuditId(auditId)
              .build();
      case AuditFinding.Fault.Added(long auditId) ->
          told.setKind(AuditFault.Kind.KIND_ADDED).setAuditId(auditId).build();
    };
  }
}
