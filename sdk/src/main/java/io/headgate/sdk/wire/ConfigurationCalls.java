package io.headgate.sdk.wire;

import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.AccessConfigurationServiceGrpc;
import io.headgate.proto.policy.v1.GetAccessConfigurationRequest;
import io.headgate.proto.policy.v1.ReplaceAccessConfigurationRequest;
import io.headgate.proto.policy.v1.ReplaceAccessConfigurationResponse;
import io.headgate.proto.pool.v1.GetResourceConfigurationRequest;
import io.headgate.proto.pool.v1.PrepareChangeRequest;
import io.headgate.proto.pool.v1.ReplaceDraftRequest;
import io.headgate.proto.pool.v1.ReplaceDraftResponse;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.pool.v1.ResourceConfigurationServiceGrpc;
import io.headgate.proto.scheduler.v1.PlanConfigurationRequest;
import io.headgate.proto.scheduler.v1.PlanServiceGrpc;
import io.headgate.proto.type.v1.JointChange;
import io.headgate.sdk.config.Configuration;
import io.headgate.sdk.config.Policy;
import io.headgate.sdk.model.ConfigurationState;
import io.headgate.sdk.model.ConfigurationState.Versions;
import io.headgate.sdk.model.HeadgateException;
import io.headgate.sdk.model.PlanEffects;
import io.headgate.sdk.model.Warning;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Reads and replaces a tenant's configuration, which two services hold. A change is prepared at
/// pool-service and then decided by policy-service, for both.
public final class ConfigurationCalls {
  private final Connection connection;
  private final String tenant;
  private final String parent;

  public ConfigurationCalls(Connection connection, String tenant) {
    this.connection = connection;
    this.tenant = tenant;
    this.parent = ResourceNames.tenant(tenant);
  }

  /// The configuration in force.
  ///
  /// @param paused queues that a replacement must keep paused
  /// @param committed the last change of both services that is decided
  public record InForce(
      ConfigurationState state, List<String> paused, Optional<Committed> committed) {
    public InForce {
      paused = List.copyOf(paused);
    }
  }

  /// A decided change. Pool-service may follow some seconds later.
  ///
  /// @param versions with the change
  public record Committed(String change, Versions versions) {}

  public InForce read() {
    ResourceConfiguration resources = resources();
    AccessConfiguration access =
        connection.call(
            AccessConfigurationServiceGrpc.getGetAccessConfigurationMethod(),
            GetAccessConfigurationRequest.newBuilder().setParent(parent).build(),
            Idempotency.IDEMPOTENT);
    Configuration configuration =
        new Configuration(
            tenant,
            access.getGroupsList().stream().map(RightsMessages::group).toList(),
            resources.getPoolsList().stream().map(SupplyMessages::pool).toList(),
            resources.getProfilesList().stream().map(SupplyMessages::profile).toList(),
            access.getDepartmentsList().stream().map(RightsMessages::department).toList(),
            policies(access),
            access.getVaultsList().stream().map(RightsMessages::vault).toList(),
            List.of(),
            RightsMessages.visibility(access),
            access.getTenantsList().stream().map(RightsMessages::part).toList(),
            access.hasBudget() ? BudgetMessages.budget(access.getBudget()) : null,
            access.getAdminsStated() ? access.getAdminsList() : null);
    List<String> paused =
        access.getQueuesList().stream()
            .filter(io.headgate.proto.policy.v1.Queue::getPaused)
            .map(queue -> ResourceNames.id(queue.getName()))
            .toList();
    Versions versions = new Versions(resources.getVersion(), access.getVersion());
    return new InForce(new ConfigurationState(configuration, versions), paused, committed(access));
  }

  private static Optional<Committed> committed(AccessConfiguration access) {
    JointChange joint = access.getJointChange();
    return access.hasJointChange()
        ? Optional.of(
            new Committed(
                joint.getId(), new Versions(joint.getResourceVersion(), joint.getAccessVersion())))
        : Optional.empty();
  }

  private ResourceConfiguration resources() {
    return connection.call(
        ResourceConfigurationServiceGrpc.getGetResourceConfigurationMethod(),
        GetResourceConfigurationRequest.newBuilder().setParent(parent).build(),
        Idempotency.IDEMPOTENT);
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

  /// Asks both services to check the configuration as the successor of the one in force. Nothing is
  /// stored, not even a draft.
  ///
  /// @param withResources whether pools or profiles change; if not, rights are checked against the
  ///   pools and profiles in force
  /// @throws HeadgateException when a service refuses it, or another version is in force
  public List<Warning> check(Configuration configuration, InForce inForce, boolean withResources) {
    List<Warning> warnings = new ArrayList<>();
    ReplaceAccessConfigurationRequest.Builder access =
        ReplaceAccessConfigurationRequest.newBuilder().setValidateOnly(true);
    if (withResources) {
      long version = inForce.state().versions().resources();
      ReplaceDraftResponse checked =
          replaceDraft(
              ReplaceDraftRequest.newBuilder()
                  .setConfiguration(draft(configuration))
                  .setIfVersion(version)
                  .setValidateOnly(true));
      checked
          .getWarningsList()
          .forEach(warning ->
              warnings.add(
                  new Warning(warning.getReason(), warning.getMessage(), warning.getField())));
      access.setResourceConfiguration(checked.getDraft());
    }
    // Checked even when only resources change: a queue may need a removed profile.
    replaceAccess(configuration, inForce, access)
        .getWarningsList()
        .forEach(warning ->
            warnings.add(
                new Warning(warning.getReason(), warning.getMessage(), warning.getField())));
    return List.copyOf(warnings);
  }

  /// Asks the scheduler for the effects of the configuration. Nothing is stored.
  ///
  /// @param withResources whether pools or profiles change
  /// @param withAccess whether groups, departments, policies, queues or vaults change
  /// @param jobs jobs of each kind to name
  public PlanEffects effects(
      Configuration configuration,
      InForce inForce,
      boolean withResources,
      boolean withAccess,
      int jobs) {
    PlanConfigurationRequest.Builder request =
        PlanConfigurationRequest.newBuilder().setParent(parent).setMaxJobs(jobs);
    if (withResources) {
      request.setResourceConfiguration(draft(configuration));
    }
    Versions base = inForce.state().versions();
    request.setIfResourceVersion(base.resources()).setIfAccessVersion(base.access());
    if (withAccess) {
      request.setAccessConfiguration(access(configuration, inForce));
    }
    return EffectMessages.effects(
        connection.call(
            PlanServiceGrpc.getPlanConfigurationMethod(), request.build(), Idempotency.IDEMPOTENT));
  }

  /// Prepares a change at pool-service; nothing comes into force. While it is prepared, the version
  /// of pools and profiles stays.
  ///
  /// @param withResources whether pools or profiles change
  /// @param discardDraftsOf subjects of others whose edits of the draft may be lost
  public void prepare(
      Configuration configuration,
      InForce inForce,
      String change,
      boolean withResources,
      List<String> discardDraftsOf) {
    PrepareChangeRequest.Builder request =
        PrepareChangeRequest.newBuilder()
            .setParent(parent)
            .setChangeId(change)
            .setBaseVersion(inForce.state().versions().resources())
            .addAllDiscardDraftsOf(discardDraftsOf);
    if (withResources) {
      request.setConfiguration(draft(configuration));
    }
    connection.call(
        ResourceConfigurationServiceGrpc.getPrepareChangeMethod(),
        request.build(),
        Idempotency.IDEMPOTENT);
  }

  /// Puts a prepared change in force, all of it or nothing, and returns the versions then in force.
  public Versions commit(Configuration configuration, InForce inForce, String change) {
    ReplaceAccessConfigurationResponse answer =
        replaceAccess(
            configuration,
            inForce,
            ReplaceAccessConfigurationRequest.newBuilder()
                .setChangeId(change)
                .setRequestId(change));
    return new Versions(answer.getResourceVersion(), answer.getConfiguration().getVersion());
  }

  private ResourceConfiguration draft(Configuration configuration) {
    ResourceConfiguration.Builder draft = ResourceConfiguration.newBuilder().setTenant(tenant);
    configuration.pools().forEach(pool -> draft.addPools(SupplyMessages.pool(tenant, pool)));
    configuration
        .profiles()
        .forEach(profile -> draft.addProfiles(SupplyMessages.profile(tenant, profile)));
    return draft.build();
  }

  private ReplaceDraftResponse replaceDraft(ReplaceDraftRequest.Builder request) {
    return connection.call(
        ResourceConfigurationServiceGrpc.getReplaceDraftMethod(),
        request.setParent(parent).build(),
        Idempotency.IDEMPOTENT);
  }

  private ReplaceAccessConfigurationResponse replaceAccess(
      Configuration configuration,
      InForce inForce,
      ReplaceAccessConfigurationRequest.Builder request) {
    return connection.call(
        AccessConfigurationServiceGrpc.getReplaceAccessConfigurationMethod(),
        request
            .setParent(parent)
            .setConfiguration(access(configuration, inForce))
            .setWithVaults(true)
            .setIfVersion(inForce.state().versions().access())
            .build(),
        Idempotency.IDEMPOTENT);
  }

  private AccessConfiguration access(Configuration configuration, InForce inForce) {
    AccessConfiguration.Builder access =
        AccessConfiguration.newBuilder()
            .setTenant(tenant)
            .setVisibility(RightsMessages.visibility(configuration.visibility()));
    if (configuration.budget() != null) {
      access.setBudget(BudgetMessages.budget(configuration.budget()));
    }
    if (configuration.admins() != null) {
      access.addAllAdmins(configuration.admins()).setAdminsStated(true);
    }
    configuration.groups().forEach(group -> access.addGroups(RightsMessages.group(tenant, group)));
    configuration
        .departments()
        .forEach(
            department -> access.addDepartments(RightsMessages.department(tenant, department)));
    for (Policy policy : configuration.policies()) {
      access.addPolicies(RightsMessages.policy(tenant, policy));
      for (Policy.Queue queue : policy.queues()) {
        boolean paused = inForce.paused().contains(queue.name());
        access.addQueues(RightsMessages.queue(tenant, policy.name(), queue, paused));
      }
    }
    configuration.parts().forEach(part -> access.addTenants(RightsMessages.part(part)));
    configuration.vaults().forEach(vault -> access.addVaults(RightsMessages.vault(tenant, vault)));
    return access.build();
  }
}
