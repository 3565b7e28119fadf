package io.headgate.policy.grpc;

import io.grpc.stub.StreamObserver;
import io.headgate.kit.decision.DeniedException;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.watch.WatchHub;
import io.headgate.kit.watch.WatchRequest;
import io.headgate.policy.core.access.AccessVersion;
import io.headgate.policy.core.access.ResourcesSpec;
import io.headgate.policy.core.identity.PrincipalRole;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import io.headgate.policy.runtime.AccessConfigurations;
import io.headgate.policy.runtime.AccessReplacement;
import io.headgate.policy.runtime.AccessReplacement.Replaced;
import io.headgate.policy.runtime.IdempotentRequest;
import io.headgate.policy.runtime.Viewers;
import io.headgate.policy.runtime.port.Origin;
import io.headgate.policy.runtime.port.SupplyReader.View;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.AccessConfigurationServiceGrpc;
import io.headgate.proto.policy.v1.GetAccessConfigurationRequest;
import io.headgate.proto.policy.v1.ReplaceAccessConfigurationRequest;
import io.headgate.proto.policy.v1.ReplaceAccessConfigurationResponse;
import io.headgate.proto.policy.v1.WatchAccessRequest;
import io.headgate.proto.policy.v1.WatchAccessResponse;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/// Serves a tenant's groups, departments, policies, queues and vaults as a whole.
final class AccessConfigurationEndpoint
    extends AccessConfigurationServiceGrpc.AccessConfigurationServiceImplBase {
  private final AccessConfigurations access;
  private final AccessReplacement replacement;
  private final Answers answers;
  private final WatchHub watches;
  private final BiFunction<TenantId, ResourceConfiguration, ResourcesSpec> resources;

  AccessConfigurationEndpoint(PolicyApi.Access access, Answers answers) {
    this.access = access.configurations();
    this.replacement = access.replacement();
    this.watches = access.watches();
    this.resources = access.resources();
    this.answers = answers;
  }

  @Override
  public void getAccessConfiguration(
      GetAccessConfigurationRequest request, StreamObserver<AccessConfiguration> out) {
    answers.read(
        out,
        origin -> {
          TenantId tenant = Names.tenant("parent", request.getParent());
          AccessVersion version = access.get(tenant);
          if (!Viewers.of(origin.required(), version::configuration).seesAll()) {
            throw Refusal.permissionDenied(
                    "ADMINS_ONLY",
                    "only admins read the whole configuration of tenant "
                        + tenant
                        + ", and its members if its visibility is tenant: headgate queues shows yours")
                .exception();
          }
          AccessConfiguration answer = VaultMapping.forCaller(AccessMapping.toProto(version));
          return governs(origin) ? withAdmins(answer, access.admins(tenant)) : answer;
        });
  }

  @Override
  public void replaceAccessConfiguration(
      ReplaceAccessConfigurationRequest request,
      StreamObserver<ReplaceAccessConfigurationResponse> out) {
    answers.change(
        out,
        request.getParent() + "/accessConfiguration",
        origin -> {
          TenantId tenant = Names.tenant("parent", request.getParent());
          AccessReplacement.Request wanted =
              new AccessReplacement.Request(
                  tenant,
                  AccessMapping.spec(tenant, request),
                  request.getIfVersion(),
                  Optional.of(request.getChangeId()).filter(id -> !id.isEmpty()),
                  request.getConfiguration().getAdminsStated()
                      ? Optional.of(List.copyOf(request.getConfiguration().getAdminsList()))
                      : Optional.empty());
          if (request.getValidateOnly() && wanted.change().isPresent()) {
            throw Refusal.invalidField(
                    "CONTRADICTION",
                    "change_id",
                    "a check decides no change: leave out validate_only or change_id")
                .exception();
          }
          if (request.getValidateOnly()) {
            return toProto(replacement.check(origin, wanted, view(tenant, request)));
          }
          requireProvisioned(request);
          IdempotentRequest<Replaced, ReplaceAccessConfigurationResponse> once =
              IdempotentRequests.of(
                  request,
                  wanted.change().orElse(request.getRequestId()),
                  AccessConfigurationEndpoint::toProto,
                  ReplaceAccessConfigurationResponse.parser());
          return replacement.replace(origin, once, wanted);
        });
  }

  @Override
  public void watchAccess(WatchAccessRequest request, StreamObserver<WatchAccessResponse> out) {
    watches.open(
        out,
        new WatchRequest(request.getVersion(), request.getOneStep()),
        new AccessSource(access, request.getIncarnation()));
  }

  /// Members see no other users.
  private static boolean governs(Origin origin) {
    PrincipalRole role = origin.required().role();
    return role == PrincipalRole.TENANT_ADMIN || role == PrincipalRole.PLATFORM_OPERATOR;
  }

  private static AccessConfiguration withAdmins(AccessConfiguration answer, List<UserId> admins) {
    return answer.toBuilder()
        .addAllAdmins(admins.stream().map(UserId::value).toList())
        .setAdminsStated(true)
        .build();
  }

  private View view(TenantId tenant, ReplaceAccessConfigurationRequest request) {
    return switch (request.getResourcesCase()) {
      case RESOURCE_CONFIGURATION ->
          new View.Given(
              DeniedException.require(
                  resources
                      .apply(tenant, request.getResourceConfiguration())
                      .read("resource_configuration")));
      case AGAINST_DRAFT -> request.getAgainstDraft() ? View.DRAFT : View.PROVISIONED;
      case RESOURCES_NOT_SET -> View.PROVISIONED;
    };
  }

  private static void requireProvisioned(ReplaceAccessConfigurationRequest request) {
    if (request.getAgainstDraft() || request.hasResourceConfiguration()) {
      throw Refusal.invalidField(
              "CONTRADICTION",
              request.getAgainstDraft() ? "against_draft" : "resource_configuration",
              "only a provisioned configuration gives rights: set validate_only as well, or leave"
                  + " this field out")
          .exception();
    }
  }

  private static ReplaceAccessConfigurationResponse toProto(Replaced replaced) {
    return ReplaceAccessConfigurationResponse.newBuilder()
        .setConfiguration(withAdmins(AccessMapping.toProto(replaced.version()), replaced.admins()))
        .setResourceVersion(replaced.resourceVersion())
        .addAllWarnings(replaced.warnings().stream().map(AccessMapping::toProto).toList())
        .build();
  }
}
