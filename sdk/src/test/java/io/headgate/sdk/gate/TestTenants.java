package io.headgate.sdk.gate;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.headgate.proto.policy.v1.GetTenantRequest;
import io.headgate.proto.policy.v1.Tenant;
import io.headgate.proto.policy.v1.TenantServiceGrpc;

/// There is one tenant: acme.
final class TestTenants extends TenantServiceGrpc.TenantServiceImplBase {
  @Override
  public void getTenant(GetTenantRequest request, StreamObserver<Tenant> answer) {
    if (!request.getName().equals("tenants/acme")) {
      String id = request.getName().substring("tenants/".length());
      answer.onError(
          TestGate.refusal(
              Status.Code.NOT_FOUND, "TENANT_NOT_FOUND", "there is no tenant \"" + id + "\""));
      return;
    }
    answer.onNext(Tenant.newBuilder().setName(request.getName()).build());
    answer.onCompleted();
  }
}
