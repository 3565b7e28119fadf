package io.headgate.scheduler.runtime.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.type.CommandPattern;
import io.headgate.type.ImagePattern;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Vaults combine to rules per group, and refuse with short messages.
final class VaultRulesTest {
  private static VaultRules.Vault vault(
      String id, Set<String> groups, List<ImagePattern> images, List<CommandPattern> commands) {
    return new VaultRules.Vault(
        id,
        groups,
        Optional.of(images).filter(each -> !each.isEmpty()),
        false,
        false,
        Optional.of(commands).filter(each -> !each.isEmpty()),
        Map.of(),
        List.of());
  }

  @Test
  void groupsWithTheSameVaultsShareOneObject() {
    VaultRules.Vault all = vault("a", Set.of(), List.of(), List.of());
    VaultRules.Vault own = vault("b", Set.of("rnd"), List.of(), List.of());
    Map<String, VaultRules> rules =
        VaultRules.byGroup(List.of(all, own), List.of("rnd", "ops", "dev"));
    assertThat(rules.get("ops")).isSameAs(rules.get("dev"));
    assertThat(rules.get("rnd").vaults()).containsExactly(all, own);
    assertThat(VaultRules.byGroup(List.of(own), List.of("ops"))).isEmpty();
  }

  @Test
  void aVaultWithAnUnreadableVariableLetsNoJobRun() {
    List<String> names = IntStream.range(0, 50).mapToObj(i -> "V" + i + "_".repeat(250)).toList();
    VaultRules.Vault broken =
        new VaultRules.Vault(
            "v",
            Set.of(),
            Optional.empty(),
            false,
            false,
            Optional.empty(),
            Map.of("PROXY", "x"),
            names);
    VaultRules.Asked asked =
        new VaultRules.Asked(Optional.empty(), List.of("/bin/true"), List.of(), Set.of());
    VaultRules.Violation violation =
        VaultRules.of(List.of(vault("a", Set.of(), List.of(), List.of()), broken))
            .violation(asked)
            .orElseThrow();
    assertThat(violation.code()).isEqualTo("VAULT_UNREADABLE");
    assertThat(violation.message()).contains("vault 'v'", "V0_").hasSizeLessThan(500);
  }

  @Test
  void refusalsFitIntoTheTrailersOfACall() {
    List<ImagePattern> images =
        IntStream.range(0, 8)
            .mapToObj(i -> ImagePattern.parse("docker.io/" + "a".repeat(200) + i))
            .toList();
    List<CommandPattern> commands =
        IntStream.range(0, 8).mapToObj(i -> CommandPattern.parse(i + "é".repeat(511))).toList();
    VaultRules ofImages = VaultRules.of(List.of(vault("v", Set.of(), images, List.of())));
    VaultRules ofCommands = VaultRules.of(List.of(vault("v", Set.of(), List.of(), commands)));
    VaultRules.Asked asked =
        new VaultRules.Asked(
            Optional.of("docker.io/x/y:1"), List.of("ü".repeat(4000)), List.of(), Set.of());
    assertThat(ofImages.violation(asked).orElseThrow().message()).hasSizeLessThan(500);
    assertThat(ofCommands.violation(asked).orElseThrow().message()).hasSizeLessThan(500);
  }
}
