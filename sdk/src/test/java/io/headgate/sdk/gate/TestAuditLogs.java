package io.headgate.sdk.gate;

import io.grpc.BindableService;
import io.grpc.stub.StreamObserver;
import io.headgate.proto.policy.v1.AuditServiceGrpc;
import io.headgate.proto.policy.v1.VerifyAuditLogRequest;
import io.headgate.proto.policy.v1.VerifyAuditLogResponse;
import io.headgate.proto.type.v1.AuditAnchor;
import io.headgate.proto.type.v1.AuditFault;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A chain of five entries of rights, checked two at a time, and an empty one of supply.
public final class TestAuditLogs {
  private static final int ENTRIES = 5;
  private static final int PORTION = 2;

  /// Requests to policy-service, in order of arrival.
  public final List<VerifyAuditLogRequest> asked = new ArrayList<>();

  /// The disagreement in the last portion.
  public Optional<AuditFault> fault = Optional.empty();

  final BindableService rights = new Rights();
  final BindableService supply = new Supply();

  public static AuditAnchor anchor(long sequence) {
    return AuditAnchor.newBuilder().setSequence(sequence).setHash("ab".repeat(32)).build();
  }

  private final class Rights extends AuditServiceGrpc.AuditServiceImplBase {
    @Override
    public void verifyAuditLog(
        VerifyAuditLogRequest request, StreamObserver<VerifyAuditLogResponse> answer) {
      asked.add(request);
      long from = request.getAfter().getSequence();
      long to = Math.min(from + PORTION, ENTRIES);
      VerifyAuditLogResponse.Builder found =
          VerifyAuditLogResponse.newBuilder().setChecked(to - from).setReached(anchor(to));
      if (to == ENTRIES) {
        found.setComplete(true).setUnchained(7);
        fault.ifPresent(found::setFault);
      }
      answer.onNext(found.build());
      answer.onCompleted();
    }
  }

  private static final class Supply
      extends io.headgate.proto.pool.v1.AuditServiceGrpc.AuditServiceImplBase {
    @Override
    public void verifyAuditLog(
        io.headgate.proto.pool.v1.VerifyAuditLogRequest request,
        StreamObserver<io.headgate.proto.pool.v1.VerifyAuditLogResponse> answer) {
      answer.onNext(
          io.headgate.proto.pool.v1.VerifyAuditLogResponse.newBuilder().setComplete(true).build());
      answer.onCompleted();
    }
  }
}
