package io.headgate.policy.grpc;

import io.grpc.stub.StreamObserver;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.watch.WatchHub;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.runtime.AccessConfigurations;
import io.headgate.policy.runtime.AccessReplacement;
import io.headgate.policy.runtime.AccessReplacement.Replaced;
import io.headgate.policy.runtime.Once;
import io.headgate.policy.runtime.port.SupplyReader.View;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.AccessConfigurationServiceGrpc;
import io.headgate.proto.policy.v1.GetAccessConfigurationRequest;
import io.headgate.proto.policy.v1.ReplaceAccessConfigurationRequest;
import io.headgate.proto.policy.v1.ReplaceAccessConfigurationResponse;
import io.headgate.proto.policy.v1.WatchAccessRequest;
import io.headgate.proto.policy.v1.WatchAccessResponse;

/// Groups, policies and queues of a tenant as one whole.
final class AccessConfigurationEndpoint
    extends AccessConfigurationServiceGrpc.AccessConfigurationServiceImplBase {
  private final AccessConfigurations access;
  private final AccessReplacement replacement;
  private final Answers answers;
  private final WatchHub watches;

  AccessConfigurationEndpoint(
      AccessConfigurations access,
      AccessReplacement replacement,
      Answers answers,
      WatchHub watches) {
    this.access = access;
    this.replacement = replacement;
    this.answers = answers;
    this.watches = watches;
  }

  @Override
  public void getAccessConfiguration(
      GetAccessConfigurationRequest request, StreamObserver<AccessConfiguration> out) {
    answers.read(
        out,
        origin -> AccessMapping.toProto(access.get(Names.tenant("parent", request.getParent()))));
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
          if (request.getAgainstDraft() && !request.getValidateOnly()) {
            throw Refusal.invalidField(
                    "CONTRADICTION",
                    "against_draft",
                    "a configuration is only checked against a draft: set validate_only as well")
                .exception();
          }
          AccessReplacement.Request wanted =
              new AccessReplacement.Request(
                  tenant,
                  AccessMapping.spec(tenant, request.getConfiguration()),
                  request.getIfVersion());
          if (request.getValidateOnly()) {
            View view = request.getAgainstDraft() ? View.DRAFT : View.PROVISIONED;
            return toProto(replacement.check(origin, wanted, view));
          }
          Once<Replaced, ReplaceAccessConfigurationResponse> once =
              Onces.of(
                  request,
                  AccessConfigurationEndpoint::toProto,
                  ReplaceAccessConfigurationResponse.parser());
          return replacement.replace(origin, once, wanted);
        });
  }

  @Override
  public void watchAccess(WatchAccessRequest request, StreamObserver<WatchAccessResponse> out) {
    watches.open(out, request.getVersion(), new AccessSource(access));
  }

  private static ReplaceAccessConfigurationResponse toProto(Replaced replaced) {
    return ReplaceAccessConfigurationResponse.newBuilder()
        .setConfiguration(AccessMapping.toProto(replaced.version()))
        .addAllWarnings(replaced.warnings().stream().map(AccessMapping::toProto).toList())
        .build();
  }
}
