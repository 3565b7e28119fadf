package io.headgate.policy.grpc;

import com.google.protobuf.Empty;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.identity.ServiceAccountSpec;
import io.headgate.policy.core.name.ServiceAccountId;
import io.headgate.policy.grpc.ResourceCalls.Creation;
import io.headgate.policy.grpc.ResourceCalls.ListRequest;
import io.headgate.policy.grpc.ResourceCalls.Update;
import io.headgate.policy.runtime.TenantResources;
import io.headgate.proto.policy.v1.CreateServiceAccountRequest;
import io.headgate.proto.policy.v1.DeleteServiceAccountRequest;
import io.headgate.proto.policy.v1.GetServiceAccountRequest;
import io.headgate.proto.policy.v1.ListServiceAccountsRequest;
import io.headgate.proto.policy.v1.ListServiceAccountsResponse;
import io.headgate.proto.policy.v1.ServiceAccount;
import io.headgate.proto.policy.v1.ServiceAccountServiceGrpc;
import io.headgate.proto.policy.v1.UpdateServiceAccountRequest;
import java.util.List;

/// Automated clients of a tenant.
final class ServiceAccountEndpoint extends ServiceAccountServiceGrpc.ServiceAccountServiceImplBase {
  private static final ResourceCalls.Form<
          ServiceAccountId,
          io.headgate.policy.core.identity.ServiceAccount,
          ServiceAccountSpec,
          ServiceAccount>
      FORM =
          new ResourceCalls.Form<>(
              "serviceAccounts",
              "service_account",
              List.of("display_name"),
              ServiceAccountId::new,
              io.headgate.policy.core.identity.ServiceAccount::id,
              (_, account) -> toProto(account),
              (id, account) ->
                  new ServiceAccountSpec(new ServiceAccountId(id), account.getDisplayName()),
              (next, _) -> next,
              ServiceAccount.parser());

  private final ResourceCalls<
          ServiceAccountId,
          io.headgate.policy.core.identity.ServiceAccount,
          ServiceAccountSpec,
          ServiceAccount>
      calls;

  ServiceAccountEndpoint(
      TenantResources<
              ServiceAccountId, io.headgate.policy.core.identity.ServiceAccount, ServiceAccountSpec>
          resources,
      ResourceCalls.Tools tools) {
    this.calls = new ResourceCalls<>(resources, FORM, tools);
  }

  @Override
  public void listServiceAccounts(
      ListServiceAccountsRequest request, StreamObserver<ListServiceAccountsResponse> out) {
    calls.list(
        out,
        new ListRequest(request.getParent(), request.getPageSize(), request.getPageToken()),
        (items, next) ->
            ListServiceAccountsResponse.newBuilder()
                .addAllServiceAccounts(items)
                .setNextPageToken(next)
                .build());
  }

  @Override
  public void getServiceAccount(
      GetServiceAccountRequest request, StreamObserver<ServiceAccount> out) {
    calls.get(out, request.getName());
  }

  @Override
  public void createServiceAccount(
      CreateServiceAccountRequest request, StreamObserver<ServiceAccount> out) {
    calls.create(
        out,
        request,
        new Creation<>(
            request.getParent(), request.getServiceAccountId(), request.getServiceAccount()));
  }

  @Override
  public void updateServiceAccount(
      UpdateServiceAccountRequest request, StreamObserver<ServiceAccount> out) {
    calls.update(
        out,
        new Update<>(
            request.getServiceAccount().getName(),
            request.getServiceAccount(),
            request.getUpdateMask()));
  }

  @Override
  public void deleteServiceAccount(DeleteServiceAccountRequest request, StreamObserver<Empty> out) {
    calls.delete(out, request.getName());
  }

  private static ServiceAccount toProto(io.headgate.policy.core.identity.ServiceAccount account) {
    return ServiceAccount.newBuilder()
        .setName(new KeyOwner.OfServiceAccount(account.tenant(), account.id()).name())
        .setDisplayName(account.displayName())
        .setCreateTime(ProtoTimes.toProto(account.createdAt()))
        .build();
  }
}
