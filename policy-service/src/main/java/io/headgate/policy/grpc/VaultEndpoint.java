package io.headgate.policy.grpc;

import com.google.protobuf.Empty;
import io.grpc.stub.StreamObserver;
import io.headgate.kit.failure.Refusal;
import io.headgate.policy.core.access.AccessSpec.VaultSpec;
import io.headgate.policy.core.name.VaultId;
import io.headgate.policy.grpc.ResourceCalls.Creation;
import io.headgate.policy.grpc.ResourceCalls.ListRequest;
import io.headgate.policy.grpc.ResourceCalls.Update;
import io.headgate.policy.runtime.TenantResources;
import io.headgate.proto.policy.v1.CreateVaultRequest;
import io.headgate.proto.policy.v1.DeleteVaultRequest;
import io.headgate.proto.policy.v1.GetVaultRequest;
import io.headgate.proto.policy.v1.ListVaultsRequest;
import io.headgate.proto.policy.v1.ListVaultsResponse;
import io.headgate.proto.policy.v1.UpdateVaultRequest;
import io.headgate.proto.policy.v1.Vault;
import io.headgate.proto.policy.v1.VaultServiceGrpc;
import java.util.List;

/// Vaults of a tenant.
final class VaultEndpoint extends VaultServiceGrpc.VaultServiceImplBase {
  private static final ResourceCalls.Form<
          VaultId, io.headgate.policy.core.access.Vault, VaultSpec, Vault>
      FORM =
          new ResourceCalls.Form<>(
              AccessMapping.VAULTS,
              "vault",
              List.of(
                  "groups",
                  "images",
                  "require_image",
                  "require_digest",
                  "commands",
                  "environment",
                  "description"),
              VaultId::new,
              io.headgate.policy.core.access.Vault::id,
              (tenant, vault) -> VaultMapping.forCaller(VaultMapping.toProto(tenant, vault)),
              VaultMapping::spec,
              (next, fields) ->
                  fields.contains("environment")
                      ? next.toBuilder().clearUnreadableVariables().build()
                      : next,
              Vault.parser());

  private final ResourceCalls<VaultId, io.headgate.policy.core.access.Vault, VaultSpec, Vault>
      calls;

  VaultEndpoint(
      TenantResources<VaultId, io.headgate.policy.core.access.Vault, VaultSpec> resources,
      ResourceCalls.Tools tools) {
    this.calls = new ResourceCalls<>(resources, FORM, tools);
  }

  @Override
  public void listVaults(ListVaultsRequest request, StreamObserver<ListVaultsResponse> out) {
    calls.list(
        out,
        new ListRequest(request.getParent(), request.getPageSize(), request.getPageToken()),
        (items, next) ->
            ListVaultsResponse.newBuilder().addAllVaults(items).setNextPageToken(next).build());
  }

  @Override
  public void getVault(GetVaultRequest request, StreamObserver<Vault> out) {
    calls.get(out, request.getName());
  }

  @Override
  public void createVault(CreateVaultRequest request, StreamObserver<Vault> out) {
    calls.create(
        out,
        request,
        new Creation<>(request.getParent(), request.getVaultId(), request.getVault()));
  }

  @Override
  public void updateVault(UpdateVaultRequest request, StreamObserver<Vault> out) {
    // AuditFields outside of the mask are not validated, and no mask may name this field.
    if (request.getVault().getEnvironmentHidden()) {
      throw Refusal.invalidField(
              "ENVIRONMENT_HIDDEN",
              "vault.environment_hidden",
              "it is true: the values of this vault were left out when it was read, and would be"
                  + " erased: have an admin read it and repeat the change")
          .exception();
    }
    calls.update(
        out,
        new Update<>(request.getVault().getName(), request.getVault(), request.getUpdateMask()));
  }

  @Override
  public void deleteVault(DeleteVaultRequest request, StreamObserver<Empty> out) {
    calls.delete(out, request.getName());
  }
}
