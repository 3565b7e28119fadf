package io.headgate.policy.core.access;

import static io.headgate.policy.core.access.Specs.group;
import static io.headgate.policy.core.access.Specs.state;
import static io.headgate.policy.core.access.Specs.supply;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.policy.core.Denial;
import io.headgate.policy.core.access.AccessEdit.Mode;
import io.headgate.policy.core.access.AccessSpec.RulesSpec;
import io.headgate.policy.core.access.AccessSpec.VaultSpec;
import io.headgate.policy.core.access.Replacement.Thoroughness;
import io.headgate.policy.core.name.GroupId;
import io.headgate.policy.core.name.Kind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class VaultEditTest {
  private static final Supply SUPPLY = supply(0, Map.of());
  private static final RulesSpec FREE = new RulesSpec(List.of(), false, false, List.of());
  private static final AccessConfiguration TWO_GROUPS =
      with(with(AccessConfiguration.EMPTY, group("devs", "ada")), group("ops", "linus"));

  @Test
  void saysEverythingThatIsWrongAtOnce() {
    VaultSpec wrong =
        new VaultSpec(
            "devs",
            List.of("devs", "obs"),
            new RulesSpec(List.of("docker.io/**", "busybox"), false, false, List.of("a  b")),
            Map.of("LD_PRELOAD", "x", "HEADGATE_JOB", "x", "PROXY", "x"),
            "");
    List<Denial> denials = denials(TWO_GROUPS, wrong);
    assertThat(denials)
        .filteredOn(Denial.MalformedPattern.class::isInstance)
        .extracting(denial -> ((Denial.MalformedPattern) denial).field())
        .containsExactly("vault.images[1]", "vault.commands[0]");
    assertThat(denials)
        .filteredOn(Denial.ReservedVariable.class::isInstance)
        .containsExactlyInAnyOrder(
            new Denial.ReservedVariable("vault.environment[LD_PRELOAD]", "LD_PRELOAD"),
            new Denial.ReservedVariable("vault.environment[HEADGATE_JOB]", "HEADGATE_JOB"));
    assertThat(denials(TWO_GROUPS, vault("devs", List.of("obs"), Map.of())))
        .containsExactly(
            new Denial.Unknown("vault.groups[0]", Kind.GROUP, "obs", Optional.of("ops")));
  }

  @Test
  void vaultsOfOneGroupAgreeOnItsEnvironment() {
    AccessConfiguration devs =
        with(TWO_GROUPS, vault("devs", List.of("devs"), Map.of("PROXY", "a")));
    Denial conflict = new Denial.VariableConflict("vault.environment[PROXY]", "PROXY", "devs");
    assertThat(denials(devs, vault("all", List.of(), Map.of("PROXY", "b"))))
        .containsExactly(conflict);
    assertThat(denials(devs, vault("both", List.of("devs", "ops"), Map.of("PROXY", "b"))))
        .containsExactly(conflict);
    assertThat(denials(devs, vault("ops", List.of("ops"), Map.of("PROXY", "b")))).isEmpty();
    assertThat(denials(devs, vault("same", List.of(), Map.of("PROXY", "a", "X", "y")))).isEmpty();
  }

  @Test
  void vaultsOfOneGroupSetNoMoreThanAProgramCanBeStartedWith() {
    Map<String, String> half =
        IntStream.range(0, 32)
            .boxed()
            .collect(Collectors.toMap(i -> "%04d".formatted(i), _ -> "é".repeat(510)));
    Map<String, String> more = new HashMap<>(half);
    more.put("X", "");
    AccessConfiguration devs = with(TWO_GROUPS, vault("devs", List.of("devs"), half));
    Denial tooLarge = new Denial.EnvironmentTooLarge("vault.environment", 65_537, 65_536);
    assertThat(denials(devs, vault("more", List.of(), half))).isEmpty();
    assertThat(denials(devs, vault("more", List.of(), more))).containsExactly(tooLarge);
    assertThat(denials(devs, vault("more", List.of("ops", "devs"), more)))
        .containsExactly(tooLarge);
    assertThat(denials(devs, vault("more", List.of("ops"), more))).isEmpty();
  }

  @Test
  void aWholeIsHeldToTheSame() {
    AccessSpec spec =
        new AccessSpec(
            List.of(group("devs", "ada")),
            List.of(),
            List.of(),
            List.of(),
            Optional.of(
                List.of(
                    vault("a", List.of(), Map.of("PROXY", "a")),
                    vault("b", List.of("devs"), Map.of("PROXY", "b")),
                    vault("c", List.of("ops"), Map.of()))),
            Visibility.OWN);
    AccessDecision decision =
        Replacement.decide(
            state(AccessConfiguration.EMPTY, SUPPLY), spec, Thoroughness.CHANGES_ONLY);
    assertThat(decision)
        .asInstanceOf(InstanceOfAssertFactories.type(AccessDecision.Denied.class))
        .extracting(AccessDecision.Denied::denials)
        .asInstanceOf(InstanceOfAssertFactories.list(Denial.class))
        .containsExactly(
            new Denial.VariableConflict("vaults[b].environment[PROXY]", "PROXY", "a"),
            new Denial.Unknown("vaults[c].groups[0]", Kind.GROUP, "ops", Optional.empty()));
  }

  @Test
  void aTenantHasABoundedNumber() {
    AccessConfiguration full = TWO_GROUPS;
    for (int i = 0; i < AccessConfiguration.MAX_VAULTS; i++) {
      full = with(full, vault("v" + i, List.of(), Map.of()));
    }
    assertThat(denials(full, vault("more", List.of(), Map.of())))
        .containsExactly(
            new Denial.TooMany("vault_id", Kind.VAULT, AccessConfiguration.MAX_VAULTS));
  }

  @Test
  void aGroupThatAVaultNamesStays() {
    AccessConfiguration named = with(TWO_GROUPS, vault("devs", List.of("devs"), Map.of()));
    assertThat(AccessEdit.remove(AccessParts.GROUPS, named, new GroupId("devs")))
        .isEqualTo(AccessDecision.denied(new Denial.GroupInVault("devs", List.of("devs"))));
    assertThat(AccessEdit.remove(AccessParts.GROUPS, named, new GroupId("ops")))
        .isInstanceOf(AccessDecision.Accepted.class);
  }

  @Test
  void aGroupThatAVaultNamesStaysAlsoForWhoNamesNoVaults() {
    AccessConfiguration named = with(TWO_GROUPS, vault("devs", List.of("devs"), Map.of()));
    AccessSpec without =
        new AccessSpec(
            List.of(group("ops")),
            List.of(),
            List.of(),
            List.of(),
            Optional.empty(),
            Visibility.OWN);
    assertThat(Replacement.decide(state(named, SUPPLY), without, Thoroughness.CHANGES_ONLY))
        .isEqualTo(AccessDecision.denied(new Denial.GroupInVault("devs", List.of("devs"))));
  }

  private static VaultSpec vault(String id, List<String> groups, Map<String, String> environment) {
    return new VaultSpec(id, groups, FREE, environment, "");
  }

  private static AccessConfiguration with(AccessConfiguration current, AccessSpec.GroupSpec group) {
    return ((AccessDecision.Accepted)
            AccessEdit.put(AccessParts.GROUPS, state(current, SUPPLY), Mode.CREATE, group))
        .next();
  }

  private static AccessConfiguration with(AccessConfiguration current, VaultSpec vault) {
    return ((AccessDecision.Accepted)
            AccessEdit.put(AccessParts.VAULTS, state(current, SUPPLY), Mode.CREATE, vault))
        .next();
  }

  private static List<Denial> denials(AccessConfiguration current, VaultSpec vault) {
    return AccessEdit.put(AccessParts.VAULTS, state(current, SUPPLY), Mode.CREATE, vault)
            instanceof AccessDecision.Denied(List<Denial> denials)
        ? denials
        : List.of();
  }
}
