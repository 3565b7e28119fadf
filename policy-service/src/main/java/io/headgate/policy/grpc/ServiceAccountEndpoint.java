package io.headgate.policy.grpc;

import com.google.protobuf.Empty;
import io.grpc.stub.StreamObserver;
import io.headgate.policy.core.identity.KeyOwner;
import io.headgate.policy.core.name.ServiceAccountId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.grpc.Names.Child;
import io.headgate.policy.grpc.Pages.Page;
import io.headgate.policy.runtime.ServiceAccounts;
import io.headgate.proto.policy.v1.CreateServiceAccountRequest;
import io.headgate.proto.policy.v1.DeleteServiceAccountRequest;
import io.headgate.proto.policy.v1.GetServiceAccountRequest;
import io.headgate.proto.policy.v1.ListServiceAccountsRequest;
import io.headgate.proto.policy.v1.ListServiceAccountsResponse;
import io.headgate.proto.policy.v1.ServiceAccount;
import io.headgate.proto.policy.v1.ServiceAccountServiceGrpc;
import io.headgate.proto.policy.v1.UpdateServiceAccountRequest;
import java.util.List;
import java.util.Set;

/// Automated clients of a tenant.
final class ServiceAccountEndpoint extends ServiceAccountServiceGrpc.ServiceAccountServiceImplBase {
  private static final String COLLECTION = "serviceAccounts";
  private static final List<String> WRITABLE = List.of("display_name");

  private final ServiceAccounts accounts;
  private final Answers answers;
  private final Pages pages;
  private final Masks masks;

  ServiceAccountEndpoint(ServiceAccounts accounts, Answers answers, Pages pages, Masks masks) {
    this.accounts = accounts;
    this.answers = answers;
    this.pages = pages;
    this.masks = masks;
  }

  @Override
  public void listServiceAccounts(
      ListServiceAccountsRequest request, StreamObserver<ListServiceAccountsResponse> out) {
    answers.read(
        out,
        origin -> {
          TenantId tenant = Names.tenant("parent", request.getParent());
          Page<io.headgate.policy.core.identity.ServiceAccount> page =
              pages.of(
                  Pages.Query.of(
                      "ListServiceAccounts", tenant, request.getPageSize(), request.getPageToken()),
                  ServiceAccountId::new,
                  account -> account.id().value(),
                  (after, limit) -> accounts.list(tenant, after, limit));
          return ListServiceAccountsResponse.newBuilder()
              .addAllServiceAccounts(
                  page.items().stream().map(ServiceAccountEndpoint::toProto).toList())
              .setNextPageToken(page.next())
              .build();
        });
  }

  @Override
  public void getServiceAccount(
      GetServiceAccountRequest request, StreamObserver<ServiceAccount> out) {
    answers.read(
        out,
        origin -> {
          Child<ServiceAccountId> name = name("name", request.getName());
          return toProto(accounts.get(name.tenant(), name.id()));
        });
  }

  @Override
  public void createServiceAccount(
      CreateServiceAccountRequest request, StreamObserver<ServiceAccount> out) {
    answers.change(
        out,
        request.getParent() + "/" + COLLECTION + "/" + request.getServiceAccountId(),
        origin ->
            accounts.create(
                origin,
                Onces.of(request, ServiceAccountEndpoint::toProto, ServiceAccount.parser()),
                Names.tenant("parent", request.getParent()),
                new ServiceAccountId(request.getServiceAccountId()),
                request.getServiceAccount().getDisplayName()));
  }

  @Override
  public void updateServiceAccount(
      UpdateServiceAccountRequest request, StreamObserver<ServiceAccount> out) {
    ServiceAccount wanted = request.getServiceAccount();
    answers.change(
        out,
        wanted.getName(),
        origin -> {
          Child<ServiceAccountId> name = name("service_account.name", wanted.getName());
          Set<String> fields = Masks.fields(request.getUpdateMask(), WRITABLE);
          return toProto(
              accounts.update(
                  origin, name.tenant(), name.id(), current -> merged(current, wanted, fields)));
        });
  }

  @Override
  public void deleteServiceAccount(DeleteServiceAccountRequest request, StreamObserver<Empty> out) {
    answers.change(
        out,
        request.getName(),
        origin -> {
          Child<ServiceAccountId> name = name("name", request.getName());
          accounts.delete(origin, name.tenant(), name.id());
          return Empty.getDefaultInstance();
        });
  }

  private String merged(String displayName, ServiceAccount wanted, Set<String> fields) {
    ServiceAccount before = ServiceAccount.newBuilder().setDisplayName(displayName).build();
    return masks.merged("service_account", before, wanted, fields).getDisplayName();
  }

  private static Child<ServiceAccountId> name(String field, String name) {
    return Names.child(field, name, COLLECTION, ServiceAccountId::new);
  }

  private static ServiceAccount toProto(io.headgate.policy.core.identity.ServiceAccount account) {
    return ServiceAccount.newBuilder()
        .setName(new KeyOwner.OfServiceAccount(account.tenant(), account.id()).name())
        .setDisplayName(account.displayName())
        .setCreateTime(Times.toProto(account.createdAt()))
        .build();
  }
}
