package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.FieldMask;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.DeleteGroupRequest;
import io.headgate.proto.policy.v1.DeleteTenantRequest;
import io.headgate.proto.policy.v1.DeleteVaultRequest;
import io.headgate.proto.policy.v1.GetVaultRequest;
import io.headgate.proto.policy.v1.GroupServiceGrpc;
import io.headgate.proto.policy.v1.ListVaultsRequest;
import io.headgate.proto.policy.v1.ReplaceAccessConfigurationRequest;
import io.headgate.proto.policy.v1.TenantServiceGrpc;
import io.headgate.proto.policy.v1.UpdateVaultRequest;
import io.headgate.proto.policy.v1.Vault;
import io.headgate.proto.policy.v1.VaultServiceGrpc;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class VaultTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @Order(2)
  @RegisterExtension
  static final PolicyFixture POLICY = PolicyFixture.of(POSTGRES);

  private static final Vault FULL =
      Vault.newBuilder()
          .addGroups("ops")
          .addGroups("rnd")
          .addImages("docker.io/**")
          .addImages("nvcr.io/nvidia/pytorch:25.*")
          .setRequireImage(true)
          .setRequireDigest(true)
          .addCommands("/usr/bin/python3 -m *")
          .putEnvironment("HTTPS_PROXY", "http://proxy:3128")
          .putEnvironment("WANDB_MODE", "offline")
          .setDescription("what research may run")
          .build();

  @Test
  void eachFieldChangesAloneAndComesBack() {
    Acme acme = Acme.found(POLICY);
    acme.group("rnd", "ada");
    acme.group("ops", "linus");
    Vault expected = acme.vault("rnd", Vault.getDefaultInstance());
    Vault after = FULL.toBuilder().setName(expected.getName()).build();
    for (var field : Vault.getDescriptor().getFields()) {
      if (!Set.of("name", "environment_hidden", "unreadable_variables").contains(field.getName())) {
        expected = expected.toBuilder().setField(field, after.getField(field)).build();
        assertThat(update(acme, after, field.getName())).as(field.getName()).isEqualTo(expected);
      }
    }
    assertThat(get(acme)).isEqualTo(after);
    assertThat(acme.configuration().getVaultsList()).containsExactly(after);
    VaultServiceGrpc.newBlockingStub(acme.admin())
        .deleteVault(DeleteVaultRequest.newBuilder().setName(after.getName()).build());
    assertThat(acme.configuration().getVaultsList()).isEmpty();
  }

  @Test
  void whoIsNoAdminSeesNoValues() {
    Acme acme = Acme.found(POLICY);
    acme.group("rnd", "ada");
    acme.group("ops");
    Vault vault = acme.vault("rnd", FULL);
    Vault visible =
        vault.toBuilder()
            .clearGroups()
            .addGroups("rnd")
            .putAllEnvironment(Map.of("HTTPS_PROXY", "", "WANDB_MODE", ""))
            .setEnvironmentHidden(true)
            .build();
    var member = VaultServiceGrpc.newBlockingStub(POLICY.member(acme.id()));
    assertThat(member.getVault(GetVaultRequest.newBuilder().setName(vault.getName()).build()))
        .isEqualTo(visible);
    assertThat(
            member
                .listVaults(ListVaultsRequest.newBuilder().setParent(acme.parent()).build())
                .getVaultsList())
        .containsExactly(visible);
    AccessConfiguration.Builder whole = acme.configuration().toBuilder().setVaults(0, visible);
    assertThat(PolicyFixture.refusal(() -> acme.replace(whole)).message())
        .as("what was left out does not come back as a value")
        .contains("environment_hidden");
    assertThat(PolicyFixture.refusal(() -> acme.vault("copy", visible)).message())
        .contains("vault.environment_hidden");
    assertThat(PolicyFixture.refusal(() -> update(acme, visible, "environment")))
        .satisfies(refusal -> {
          assertThat(refusal.reason()).isEqualTo("ENVIRONMENT_HIDDEN");
          assertThat(refusal.message()).contains("vault.environment_hidden", "admin");
        });
    assertThat(get(acme)).isEqualTo(vault);
    try (Watching watching = Watching.from(POLICY.as("services/scheduler"))) {
      assertThat(Watching.configurations(watching.next())).contains(acme.configuration());
    }
  }

  @Test
  void aWholeHasItsVaultsAndGoesWithItsTenant() {
    Acme acme = Acme.found(POLICY);
    AccessConfiguration.Builder whole =
        acme.twoTeams()
            .addVaults(
                FULL.toBuilder()
                    .clearGroups()
                    .addGroups("rnd")
                    .setName(acme.parent() + "/vaults/rnd"));
    assertThat(acme.replace(whole).getConfiguration().getVaultsList())
        .isEqualTo(whole.getVaultsList());
    assertThat(acme.replace(whole).getConfiguration().getVersion()).isEqualTo(1);
    acme.replace(whole.clearPolicies().clearQueues());
    assertThat(acme.replace(whole.clone().clearVaults()).getConfiguration().getVaultsList())
        .as("who knows nothing of vaults removes none")
        .hasSize(1);
    ReplaceAccessConfigurationRequest.Builder without =
        ReplaceAccessConfigurationRequest.newBuilder()
            .setConfiguration(whole.clone().clearVaults())
            .setWithVaults(true);
    assertThat(acme.replace(without).getConfiguration().getVaultsList()).isEmpty();
    acme.replace(whole);
    TenantServiceGrpc.newBlockingStub(POLICY.operator())
        .deleteTenant(DeleteTenantRequest.newBuilder().setName(acme.parent()).build());
  }

  @Test
  void refusalsSayWhatToDo() {
    Acme acme = Acme.found(POLICY);
    acme.group("rnd", "ada");
    acme.group("ops");
    acme.vault("rnd", FULL);
    Vault other = Vault.newBuilder().putEnvironment("WANDB_MODE", "online").build();
    assertThat(PolicyFixture.refusal(() -> acme.vault("all", other)))
        .satisfies(refusal -> {
          assertThat(refusal.reason()).isEqualTo("VARIABLE_CONFLICT");
          assertThat(refusal.message())
              .isEqualTo(
                  "vault.environment[WANDB_MODE]: vault 'rnd' sets 'WANDB_MODE' to something else"
                      + " for the same group: give both the same value, or leave it out of one");
        });
    assertThat(
            PolicyFixture.refusal(
                    () -> acme.vault("bad", Vault.newBuilder().addImages("busybox").build()))
                .reason())
        .isEqualTo("MALFORMED_PATTERN");
    assertThat(
            PolicyFixture.refusal(
                    () -> acme.vault("bad", Vault.newBuilder().putEnvironment("LD_X", "").build()))
                .reason())
        .isEqualTo("RESERVED_VARIABLE");
    DeleteGroupRequest delete =
        DeleteGroupRequest.newBuilder().setName(acme.parent() + "/groups/ops").build();
    assertThat(
            PolicyFixture.refusal(
                    () -> GroupServiceGrpc.newBlockingStub(acme.admin()).deleteGroup(delete))
                .reason())
        .isEqualTo("GROUP_IN_USE");
  }

  private static Vault update(Acme acme, Vault vault, String field) {
    return VaultServiceGrpc.newBlockingStub(acme.admin())
        .updateVault(
            UpdateVaultRequest.newBuilder()
                .setVault(vault)
                .setUpdateMask(FieldMask.newBuilder().addPaths(field))
                .build());
  }

  private static Vault get(Acme acme) {
    return VaultServiceGrpc.newBlockingStub(acme.admin())
        .getVault(GetVaultRequest.newBuilder().setName(acme.parent() + "/vaults/rnd").build());
  }
}
