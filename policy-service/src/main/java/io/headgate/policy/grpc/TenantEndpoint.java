package io.headgate.policy.grpc;

import com.google.protobuf.Empty;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.grpc.Pages;
import io.headgate.kit.grpc.Pages.Page;
import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.Tenants;
import io.headgate.proto.policy.v1.CreateTenantRequest;
import io.headgate.proto.policy.v1.DeleteTenantRequest;
import io.headgate.proto.policy.v1.GetTenantRequest;
import io.headgate.proto.policy.v1.ListTenantsRequest;
import io.headgate.proto.policy.v1.ListTenantsResponse;
import io.headgate.proto.policy.v1.Tenant;
import io.headgate.proto.policy.v1.TenantServiceGrpc;
import java.util.List;

/// Tenants of the installation.
final class TenantEndpoint extends TenantServiceGrpc.TenantServiceImplBase {
  private final Tenants tenants;
  private final Answers answers;
  private final Pages pages;

  TenantEndpoint(Tenants tenants, Answers answers, Pages pages) {
    this.tenants = tenants;
    this.answers = answers;
    this.pages = pages;
  }

  @Override
  public void listTenants(ListTenantsRequest request, StreamObserver<ListTenantsResponse> out) {
    answers.read(
        out,
        origin -> {
          Page<io.headgate.policy.core.identity.Tenant> page =
              pages.read(
                  new Pages.Request(
                      List.of("ListTenants", ""), request.getPageSize(), request.getPageToken()),
                  (after, limit) -> tenants.list(origin, after.map(TenantId::new), limit),
                  tenant -> tenant.id().value());
          return ListTenantsResponse.newBuilder()
              .addAllTenants(page.items().stream().map(TenantEndpoint::toProto).toList())
              .setNextPageToken(page.nextToken())
              .build();
        });
  }

  @Override
  public void getTenant(GetTenantRequest request, StreamObserver<Tenant> out) {
    answers.read(out, origin -> toProto(tenants.get(Names.tenant("name", request.getName()))));
  }

  @Override
  public void createTenant(CreateTenantRequest request, StreamObserver<Tenant> out) {
    answers.change(
        out,
        "tenants/" + request.getTenantId(),
        origin ->
            tenants.create(
                origin,
                IdempotentRequests.of(request, TenantEndpoint::toProto, Tenant.parser()),
                new TenantId(request.getTenantId()),
                request.getTenant().getDisplayName()));
  }

  @Override
  public void deleteTenant(DeleteTenantRequest request, StreamObserver<Empty> out) {
    answers.change(
        out,
        request.getName(),
        origin -> {
          tenants.delete(origin, Names.tenant("name", request.getName()));
          return Empty.getDefaultInstance();
        });
  }

  private static Tenant toProto(io.headgate.policy.core.identity.Tenant tenant) {
    return Tenant.newBuilder()
        .setName("tenants/" + tenant.id())
        .setDisplayName(tenant.displayName())
        .setCreateTime(ProtoTimes.toProto(tenant.createdAt()))
        .build();
  }
}
