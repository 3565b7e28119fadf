package io.headgate.sdk.wire;

import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.AccessConfigurationServiceGrpc;
import io.headgate.proto.policy.v1.GetAccessConfigurationRequest;
import io.headgate.proto.policy.v1.ReplaceAccessConfigurationRequest;
import io.headgate.proto.policy.v1.ReplaceAccessConfigurationResponse;
import io.headgate.proto.pool.v1.DiscardDraftRequest;
import io.headgate.proto.pool.v1.GetDraftRequest;
import io.headgate.proto.pool.v1.GetResourceConfigurationRequest;
import io.headgate.proto.pool.v1.ProvisionDraftRequest;
import io.headgate.proto.pool.v1.ReplaceDraftRequest;
import io.headgate.proto.pool.v1.ReplaceDraftResponse;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.pool.v1.ResourceConfigurationServiceGrpc;
import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.Policy;
import io.headgate.sdk.model.ConfigurationState;
import io.headgate.sdk.model.ConfigurationState.Versions;
import io.headgate.sdk.model.Warning;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Reads and replaces a tenant's configuration, which two services hold: pools and profiles as a
/// draft that is provisioned, groups, policies and queues as one whole.
public final class ConfigurationCalls {
  private final Connection connection;
  private final String tenant;
  private final String parent;

  public ConfigurationCalls(Connection connection, String tenant) {
    this.connection = connection;
    this.tenant = tenant;
    this.parent = ResourceNames.tenant(tenant);
  }

  /// What is in force.
  ///
  /// @param paused queues whose pause a replacement must keep
  public record InForce(ConfigurationState state, List<String> paused) {
    public InForce {
      paused = List.copyOf(paused);
    }
  }

  /// A stored draft, ready to be put in force.
  public record Draft(String etag, List<Warning> warnings) {}

  public InForce read() {
    ResourceConfiguration resources = resources();
    AccessConfiguration access =
        connection.call(
            AccessConfigurationServiceGrpc.getGetAccessConfigurationMethod(),
            GetAccessConfigurationRequest.newBuilder().setParent(parent).build(),
            Safety.REPEATABLE);
    Configuration configuration =
        new Configuration(
            tenant,
            access.getGroupsList().stream().map(RightsMessages::group).toList(),
            resources.getPoolsList().stream().map(SupplyMessages::pool).toList(),
            resources.getProfilesList().stream().map(SupplyMessages::profile).toList(),
            policies(access));
    List<String> paused =
        access.getQueuesList().stream()
            .filter(io.headgate.proto.policy.v1.Queue::getPaused)
            .map(queue -> ResourceNames.id(queue.getName()))
            .toList();
    Versions versions = new Versions(resources.getVersion(), access.getVersion());
    return new InForce(new ConfigurationState(configuration, versions), paused);
  }

  private ResourceConfiguration resources() {
    return connection.call(
        ResourceConfigurationServiceGrpc.getGetResourceConfigurationMethod(),
        GetResourceConfigurationRequest.newBuilder().setParent(parent).build(),
        Safety.REPEATABLE);
  }

  private static List<Policy> policies(AccessConfiguration access) {
    Map<String, List<Policy.Queue>> queues = new LinkedHashMap<>();
    for (io.headgate.proto.policy.v1.Queue queue : access.getQueuesList()) {
      queues
          .computeIfAbsent(queue.getPolicy(), _ -> new ArrayList<>())
          .add(RightsMessages.queue(queue));
    }
    queues.values().forEach(list -> list.sort(Comparator.comparing(Policy.Queue::name)));
    return access.getPoliciesList().stream()
        .map(policy ->
            RightsMessages.policy(
                policy, queues.getOrDefault(ResourceNames.id(policy.getName()), List.of())))
        .toList();
  }

  /// Makes the draft look like the configuration.
  public Draft replaceDraft(Configuration configuration, long ifVersion) {
    ResourceConfiguration.Builder draft = ResourceConfiguration.newBuilder().setTenant(tenant);
    configuration.pools().forEach(pool -> draft.addPools(SupplyMessages.pool(tenant, pool)));
    configuration
        .profiles()
        .forEach(profile -> draft.addProfiles(SupplyMessages.profile(tenant, profile)));
    return replaceDraft(draft.build(), ifVersion);
  }

  private Draft replaceDraft(ResourceConfiguration draft, long ifVersion) {
    ReplaceDraftResponse response =
        connection.call(
            ResourceConfigurationServiceGrpc.getReplaceDraftMethod(),
            ReplaceDraftRequest.newBuilder()
                .setParent(parent)
                .setConfiguration(draft)
                .setIfVersion(ifVersion)
                .build(),
            Safety.REPEATABLE);
    List<Warning> warnings =
        response.getWarningsList().stream()
            .map(warning ->
                new Warning(warning.getReason(), warning.getMessage(), warning.getField()))
            .toList();
    return new Draft(response.getDraft().getEtag(), warnings);
  }

  /// Notes the draft as it is, and answers with what puts it back: a plan that is not carried out
  /// must not cost somebody the draft they are working on.
  public Runnable draftRestorer() {
    ResourceConfiguration before =
        connection.call(
            ResourceConfigurationServiceGrpc.getGetDraftMethod(),
            GetDraftRequest.newBuilder().setParent(parent).build(),
            Safety.REPEATABLE);
    ResourceConfiguration provisioned = resources();
    boolean none =
        before.getPoolsList().equals(provisioned.getPoolsList())
            && before.getProfilesList().equals(provisioned.getProfilesList());
    return () -> {
      if (none) {
        connection.call(
            ResourceConfigurationServiceGrpc.getDiscardDraftMethod(),
            DiscardDraftRequest.newBuilder().setParent(parent).build(),
            Safety.REPEATABLE);
      } else {
        replaceDraft(before, 0);
      }
    };
  }

  /// Puts exactly this draft in force; answers with the new version.
  public long provision(String etag, String requestId) {
    return connection
        .call(
            ResourceConfigurationServiceGrpc.getProvisionDraftMethod(),
            ProvisionDraftRequest.newBuilder()
                .setParent(parent)
                .setEtag(etag)
                .setRequestId(requestId)
                .build(),
            Safety.REPEATABLE)
        .getVersion();
  }

  /// What a check or a change of rights came to.
  public record AccessResult(long version, List<Warning> warnings) {}

  /// Checks groups, policies and queues.
  ///
  /// @param againstDraft profiles are those of the stored draft, not the provisioned ones
  public AccessResult checkAccess(
      Configuration configuration, InForce inForce, boolean againstDraft) {
    return replaceAccess(
        configuration,
        inForce,
        ReplaceAccessConfigurationRequest.newBuilder()
            .setValidateOnly(true)
            .setAgainstDraft(againstDraft));
  }

  /// Puts groups, policies and queues in force.
  public AccessResult replaceAccess(
      Configuration configuration, InForce inForce, String requestId) {
    return replaceAccess(
        configuration,
        inForce,
        ReplaceAccessConfigurationRequest.newBuilder().setRequestId(requestId));
  }

  private AccessResult replaceAccess(
      Configuration configuration,
      InForce inForce,
      ReplaceAccessConfigurationRequest.Builder request) {
    AccessConfiguration.Builder access = AccessConfiguration.newBuilder().setTenant(tenant);
    configuration.groups().forEach(group -> access.addGroups(RightsMessages.group(tenant, group)));
    for (Policy policy : configuration.policies()) {
      access.addPolicies(RightsMessages.policy(tenant, policy));
      for (Policy.Queue queue : policy.queues()) {
        boolean paused = inForce.paused().contains(queue.name());
        access.addQueues(RightsMessages.queue(tenant, policy.name(), queue, paused));
      }
    }
    ReplaceAccessConfigurationResponse response =
        connection.call(
            AccessConfigurationServiceGrpc.getReplaceAccessConfigurationMethod(),
            request
                .setParent(parent)
                .setConfiguration(access)
                .setIfVersion(inForce.state().versions().access())
                .build(),
            Safety.REPEATABLE);
    List<Warning> warnings =
        response.getWarningsList().stream()
            .map(warning ->
                new Warning(warning.getReason(), warning.getMessage(), warning.getField()))
            .toList();
    return new AccessResult(response.getConfiguration().getVersion(), warnings);
  }
}
