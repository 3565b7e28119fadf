package io.headgate.pool.grpc;

import io.headgate.kit.failure.Refusal;
import io.headgate.kit.grpc.ProtoTimes;
import io.headgate.pool.core.configuration.Configuration;
import io.headgate.pool.core.configuration.ConfigurationSpec;
import io.headgate.pool.core.configuration.ConfigurationWarning;
import io.headgate.pool.core.draft.ConfigurationState;
import io.headgate.pool.core.draft.Draft;
import io.headgate.pool.core.draft.Provisioned;
import io.headgate.pool.core.name.TenantId;
import io.headgate.proto.pool.v1.DraftEditor;
import io.headgate.proto.pool.v1.PreparedChange;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.pool.v1.Warning;
import io.headgate.proto.type.v1.JointChange;
import java.util.Optional;

/// Converts configurations and their warnings to and from messages.
final class ConfigurationMessages {
  private ConfigurationMessages() {}

  /// The described configuration; only its tenant is checked.
  static ConfigurationSpec spec(TenantId tenant, ResourceConfiguration message) {
    if (!message.getTenant().isEmpty() && !message.getTenant().equals(tenant.value())) {
      throw Refusal.invalidField(
              "CONTRADICTION",
              "configuration.tenant",
              "'%s' is not the parent '%s': make them equal, or leave it out"
                  .formatted(message.getTenant(), tenant))
          .exception();
    }
    return new ConfigurationSpec(
        message.getPoolsList().stream()
            .map(pool -> PoolMessages.spec(Names.idWithin(tenant, "pools", pool.getName()), pool))
            .toList(),
        message.getProfilesList().stream()
            .map(profile ->
                ProfileMessages.spec(
                    Names.idWithin(tenant, "profiles", profile.getName()), profile))
            .toList());
  }

  static ResourceConfiguration message(TenantId tenant, Provisioned provisioned) {
    ResourceConfiguration.Builder message =
        content(tenant, provisioned.configuration())
            .setVersion(provisioned.version())
            .setEtag(provisioned.etag());
    provisioned
        .joint()
        .ifPresent(joint ->
            message.setJointChange(
                JointChange.newBuilder()
                    .setId(joint.id())
                    .setResourceVersion(joint.resourceVersion())
                    .setAccessVersion(joint.accessVersion())));
    provisioned
        .stamp()
        .ifPresent(stamp ->
            message.setUpdateTime(ProtoTimes.toProto(stamp.at())).setUpdatedBy(stamp.by()));
    return message.build();
  }

  /// The supply that a change would put in force; empty: only rights change.
  static Optional<ResourceConfiguration> next(
      TenantId tenant, io.headgate.pool.core.draft.PreparedChange prepared) {
    return prepared
        .next()
        .map(next ->
            content(tenant, next.configuration())
                .setVersion(prepared.version())
                .setJointChange(
                    JointChange.newBuilder()
                        .setId(prepared.id())
                        .setResourceVersion(prepared.version()))
                .build());
  }

  static PreparedChange.Builder message(
      TenantId tenant, io.headgate.pool.core.draft.PreparedChange prepared) {
    return PreparedChange.newBuilder()
        .setChangeId(prepared.id())
        .setTenant(tenant.value())
        .setBaseVersion(prepared.baseVersion())
        .setVersion(prepared.version())
        .setPrepareTime(ProtoTimes.toProto(prepared.stamp().at()))
        .setPreparedBy(prepared.stamp().by());
  }

  static ResourceConfiguration message(TenantId tenant, Draft draft) {
    ResourceConfiguration.Builder message = content(tenant, draft.configuration());
    if (draft.content() != Draft.NOT_STORED) {
      draft
          .editors()
          .forEach(edit ->
              message.addDraftEditors(
                  DraftEditor.newBuilder()
                      .setSubject(edit.by())
                      .setEditTime(ProtoTimes.toProto(edit.at()))));
    }
    return message
        .setVersion(draft.baseVersion())
        .setEtag(draft.etag())
        .setUpdateTime(ProtoTimes.toProto(draft.stamp().at()))
        .setUpdatedBy(draft.stamp().by())
        .build();
  }

  /// The draft, or the configuration in force.
  static ResourceConfiguration editable(TenantId tenant, ConfigurationState state) {
    return state
        .draft()
        .map(draft -> message(tenant, draft))
        .orElseGet(() -> message(tenant, state.inForce()));
  }

  private static ResourceConfiguration.Builder content(
      TenantId tenant, Configuration configuration) {
    return ResourceConfiguration.newBuilder()
        .setTenant(tenant.value())
        .addAllPools(
            configuration.pools().stream().map(pool -> PoolMessages.message(tenant, pool)).toList())
        .addAllProfiles(
            configuration.profiles().stream()
                .map(profile -> ProfileMessages.message(tenant, profile))
                .toList());
  }

  static Warning message(ConfigurationWarning warning) {
    return switch (warning) {
      case ConfigurationWarning.Overcommitted(var pool, var capacity, var present, var growth) ->
          warning(
              "OVERCOMMITTED",
              "pools[" + pool + "].capacity",
              ("capacity %s is more than pool '%s' has: its nodes have %d GPUs, its provider may"
                      + " add up to %d")
                  .formatted(capacity, pool, present, growth));
      case ConfigurationWarning.NoDevices(var pool, var nodes) ->
          warning(
              "NO_DEVICES",
              "pools[" + pool + "]",
              "no device is in pool '%s' yet (%d nodes): its jobs wait".formatted(pool, nodes));
      case ConfigurationWarning.ForeignDevices(var pool, var model, var foreign, var devices) ->
          warning(
              "FOREIGN_DEVICES",
              "pools[" + pool + "].gpu_model",
              "%d of %d devices in pool '%s' are not of model '%s' and will not be used"
                  .formatted(foreign, devices, pool, model));
      case ConfigurationWarning.BeyondInstance(var pool, var nodes, var example, var excess) ->
          warning(
              "BEYOND_INSTANCE",
              "pools[" + pool + "].instance",
              "%d %s of pool '%s' %s approved with more than its instance, and %s so, for example '%s': %s"
                  .formatted(
                      nodes,
                      nodes == 1 ? "node" : "nodes",
                      pool,
                      nodes == 1 ? "is" : "are",
                      nodes == 1 ? "stays" : "stay",
                      example,
                      excess));
      case ConfigurationWarning.StorageMissing(var pool, var storage, var nodes, var example) ->
          warning(
              "STORAGE_MISSING",
              "pools[" + pool + "].storage",
              "%d %s of pool '%s' %s no work without storage '%s', for example '%s': name it in agent.storages there"
                  .formatted(
                      nodes,
                      nodes == 1 ? "node" : "nodes",
                      pool,
                      nodes == 1 ? "gets" : "get",
                      storage,
                      example));
      case ConfigurationWarning.MissingProvider(var pool, var provider) ->
          warning(
              "PROVIDER_MISSING",
              "pools[" + pool + "].provider",
              "no provider '%s' is there: no instance of pool '%s' comes by itself"
                  .formatted(provider, pool));
      case ConfigurationWarning.UnusedPool(var pool) ->
          warning(
              "UNUSED_POOL", "pools[" + pool + "]", "no profile runs in pool '%s'".formatted(pool));
      case ConfigurationWarning.UselessDraft(var editors) ->
          warning(
              "DRAFT_OF_OTHERS",
              "",
              "the draft of pools and profiles has edits of %s, which this would make useless"
                  .formatted(String.join(", ", editors)));
      case ConfigurationWarning.OrderWithoutLink(var pool, var index, var profile) ->
          warning(
              "ORDER_WITHOUT_LINK",
              "pools[" + pool + "].profile_order[" + index + "]",
              "profile '%s' does not run in pool '%s', so its position there has no effect"
                  .formatted(profile, pool));
      case ConfigurationWarning.NeverFits(
              var profile,
              var field,
              var what,
              var need,
              var largest) ->
          warning(
              "NEVER_FITS",
              "profiles[" + profile + "]." + field,
              "profile '%s' needs %s %s, but no machine of its pools has more than %s"
                  .formatted(profile, need, what, largest));
      case ConfigurationWarning.RemovedWithNodes(var pool, var nodes) ->
          warning(
              "POOL_HAS_NODES",
              "pools[" + pool + "]",
              "pool '%s' is removed; its nodes get no new work then: %d %s"
                  .formatted(pool, nodes, nodes == 1 ? "node" : "nodes"));
    };
  }

  private static Warning warning(String reason, String field, String message) {
    return Warning.newBuilder().setReason(reason).setField(field).setMessage(message).build();
  }
}
