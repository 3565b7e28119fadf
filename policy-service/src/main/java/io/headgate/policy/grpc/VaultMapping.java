package io.headgate.policy.grpc;

import io.headgate.kit.auth.Principal;
import io.headgate.kit.auth.Principals;
import io.headgate.policy.core.access.AccessSpec.RulesSpec;
import io.headgate.policy.core.access.AccessSpec.VaultSpec;
import io.headgate.policy.core.access.JobRules;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.Vault;
import io.headgate.type.CommandPattern;
import io.headgate.type.ImagePattern;

/// Converts vaults to and from messages.
final class VaultMapping {
  private VaultMapping() {}

  static Vault toProto(TenantId tenant, io.headgate.policy.core.access.Vault vault) {
    JobRules rules = vault.rules();
    return Vault.newBuilder()
        .setName(AccessMapping.name(tenant, AccessMapping.VAULTS, vault.id().value()))
        .addAllGroups(vault.groups().stream().map(GroupId::value).toList())
        .addAllImages(rules.images().stream().map(ImagePattern::toString).toList())
        .setRequireImage(rules.imageRequired())
        .setRequireDigest(rules.digestRequired())
        .addAllCommands(rules.commands().stream().map(CommandPattern::toString).toList())
        .putAllEnvironment(vault.environment())
        .addAllUnreadableVariables(vault.unreadable())
        .setDescription(vault.description())
        .build();
  }

  static VaultSpec spec(String id, Vault vault) {
    return new VaultSpec(
        id,
        vault.getGroupsList(),
        new RulesSpec(
            vault.getImagesList(),
            vault.getRequireImage(),
            vault.getRequireDigest(),
            vault.getCommandsList()),
        vault.getEnvironmentMap(),
        vault.getDescription());
  }

  /// The vault as the caller may see it: without admin rights, the names of variables but no
  /// values.
  static Vault forCaller(Vault vault) {
    if (seesValues() || vault.getEnvironmentCount() == 0) {
      return vault;
    }
    Vault.Builder visible = vault.toBuilder().setEnvironmentHidden(true);
    vault.getEnvironmentMap().keySet().forEach(name -> visible.putEnvironment(name, ""));
    return visible.build();
  }

  /// See [#forCaller(Vault)].
  static AccessConfiguration forCaller(AccessConfiguration configuration) {
    if (seesValues()) {
      return configuration;
    }
    AccessConfiguration.Builder visible = configuration.toBuilder();
    for (int i = 0; i < visible.getVaultsCount(); i++) {
      visible.setVaults(i, forCaller(visible.getVaults(i)));
    }
    return visible.build();
  }

  private static boolean seesValues() {
    Principal caller = Principals.current();
    return switch (caller.role()) {
      case PLATFORM_OPERATOR, TENANT_ADMIN, SERVICE -> true;
      case MEMBER, SERVICE_ACCOUNT, NODE -> false;
    };
  }
}
