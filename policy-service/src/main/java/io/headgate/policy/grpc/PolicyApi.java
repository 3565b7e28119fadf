package io.headgate.policy.grpc;

import io.grpc.BindableService;
import io.grpc.ServerInterceptors;
import io.headgate.kit.audit.AuditChain;
import io.headgate.kit.auth.Principal;
import io.headgate.kit.grpc.ApiServer;
import io.headgate.kit.grpc.ClientAddresses;
import io.headgate.kit.grpc.MessageRules;
import io.headgate.kit.grpc.PageTokens;
import io.headgate.kit.grpc.Pages;
import io.headgate.kit.grpc.RequestIds;
import io.headgate.kit.watch.WatchHub;
import io.headgate.policy.core.access.AccessParts;
import io.headgate.policy.core.access.ResourcesSpec;
import io.headgate.policy.core.identity.Caller;
import io.headgate.policy.core.identity.ServiceAccountSpec;
import io.headgate.policy.core.identity.UserSpec;
import io.headgate.policy.core.name.ServiceAccountId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.policy.core.name.UserId;
import io.headgate.policy.runtime.AccessConfigurations;
import io.headgate.policy.runtime.AccessReplacement;
import io.headgate.policy.runtime.Changes;
import io.headgate.policy.runtime.Enrolment;
import io.headgate.policy.runtime.Keys;
import io.headgate.policy.runtime.RefusedCalls;
import io.headgate.policy.runtime.SigningKeys;
import io.headgate.policy.runtime.TenantResources;
import io.headgate.policy.runtime.Tenants;
import io.headgate.policy.runtime.Tokens;
import io.headgate.policy.runtime.port.Origin;
import io.headgate.proto.policy.v1.Group;
import io.headgate.proto.policy.v1.Policy;
import io.headgate.proto.policy.v1.Queue;
import io.headgate.proto.policy.v1.ServiceAccount;
import io.headgate.proto.policy.v1.User;
import io.headgate.proto.policy.v1.Vault;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/// All gRPC services of rights and identity.
public final class PolicyApi {
  private final List<BindableService> services;
  private final RefusedCalls refused;

  /// The operations on identities and their credentials.
  public record Identities(
      Tenants tenants,
      TenantResources<UserId, io.headgate.policy.core.identity.User, UserSpec> users,
      TenantResources<
              ServiceAccountId, io.headgate.policy.core.identity.ServiceAccount, ServiceAccountSpec>
          serviceAccounts,
      Keys keys,
      Tokens tokens,
      SigningKeys signing,
      Enrolment enrolment,
      WatchHub revocations,
      AuditChain audit) {}

  /// The operations on rights.
  ///
  /// @param resources reads a resource configuration from a message of pool-service
  public record Access(
      AccessConfigurations configurations,
      AccessReplacement replacement,
      WatchHub watches,
      BiFunction<TenantId, ResourceConfiguration, ResourcesSpec> resources) {}

  public PolicyApi(
      Changes changes,
      Identities identities,
      Access access,
      RefusedCalls refused,
      PageTokens pageTokens) {
    this.refused = refused;
    Answers answers = new Answers(refused);
    Pages pages = new Pages(pageTokens);
    MessageRules rules =
        new MessageRules(
            List.of(
                User.getDescriptor(),
                ServiceAccount.getDescriptor(),
                Group.getDescriptor(),
                Policy.getDescriptor(),
                Queue.getDescriptor(),
                Vault.getDescriptor()));
    ResourceCalls.Tools tools = new ResourceCalls.Tools(answers, pages, rules);
    AccessConfigurations configurations = access.configurations();
    this.services =
        List.of(
            new TenantEndpoint(identities.tenants(), answers, pages),
            new UserEndpoint(identities.users(), tools),
            new ServiceAccountEndpoint(identities.serviceAccounts(), tools),
            new GroupEndpoint(configurations.items(AccessParts.GROUPS), tools),
            new PolicyEndpoint(configurations.items(AccessParts.POLICIES), configurations, tools),
            new QueueEndpoint(configurations.items(AccessParts.QUEUES), tools),
            new VaultEndpoint(configurations.items(AccessParts.VAULTS), tools),
            new AccessConfigurationEndpoint(access, answers),
            new AuditEndpoint(identities.audit()),
            new TokenEndpoint(
                new TokenEndpoint.Parts(
                    identities.tokens(),
                    identities.signing(),
                    identities.keys(),
                    identities.enrolment()),
                answers,
                pages,
                new TokenEndpoint.Watches(identities.revocations(), changes)));
  }

  /// Registers the services with `api`, and records calls that a role forbids in the audit log.
  public void register(ApiServer.Builder api) {
    for (BindableService service : services) {
      api.service(() -> ServerInterceptors.intercept(service, CallFacts.interceptor()));
    }
    api.onDenied(this::denied);
  }

  private void denied(Principal principal, String method) {
    Caller caller = CallFacts.caller(principal);
    Origin origin =
        new Origin(
            Optional.of(caller),
            ClientAddresses.current(),
            RequestIds.current(),
            Optional.empty(),
            Optional.empty());
    refused.record(
        origin, caller.tenant(), method.substring(method.lastIndexOf('/') + 1), "", "ROLE_DENIED");
  }
}
