package io.headgate.policy.core.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.policy.core.Denial;
import io.headgate.policy.core.access.AccessSpec.TenantPartSpec;
import io.headgate.policy.core.access.Replacement.Thoroughness;
import io.headgate.policy.core.name.Kind;
import io.headgate.policy.core.name.PoolId;
import io.headgate.policy.core.name.TenantId;
import io.headgate.type.GpuQuantity;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Parts of tenants in shared pools: which are accepted, and which warn.
class TenantPartTest {
  private static final PoolId H100 = new PoolId("h100");
  private static final PoolId A100 = new PoolId("a100");
  private static final Supply SUPPLY =
      new Supply(
          Map.of(),
          Set.of(H100, A100),
          GpuQuantity.ofGpus(24),
          Map.of(H100, GpuQuantity.ofGpus(16), A100, GpuQuantity.ofGpus(8)),
          Optional.empty());

  private static TenantPartSpec part(String tenant, String reservation, String... pools) {
    return new TenantPartSpec(tenant, List.of(pools), reservation, "", 0);
  }

  private static AccessSpec spec(TenantPartSpec... parts) {
    return new AccessSpec(
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        Optional.empty(),
        Visibility.OWN,
        List.of(parts),
        Optional.empty());
  }

  private static AccessState platform(Optional<Supply> supply) {
    return new AccessState(
        AccessConfiguration.EMPTY,
        Set.of(),
        supply,
        Optional.of(Set.of(new TenantId("acme"), new TenantId("globex"))));
  }

  private static AccessDecision decide(AccessSpec spec) {
    return Replacement.decide(platform(Optional.of(SUPPLY)), spec, Thoroughness.EVERYTHING);
  }

  private static AccessDecision.Accepted accepted(TenantPartSpec... parts) {
    return (AccessDecision.Accepted) decide(spec(parts));
  }

  private static List<Denial> denied(TenantPartSpec... parts) {
    return ((AccessDecision.Denied) decide(spec(parts))).denials();
  }

  @Test
  void aPartCountsForEachOfItsPoolsAndATenantMayHaveSeveral() {
    AccessDecision.Accepted accepted =
        accepted(part("globex", "4", "h100"), part("acme", "8", "h100", "a100"));
    assertThat(accepted.next().tenants())
        .extracting(TenantPart::key)
        .containsExactly("acme/[a100, h100]", "globex/[h100]");
    assertThat(accepted.warnings()).isEmpty();
  }

  @Test
  void reservationsAboveWhatAPoolOffersAreAWarningWithItsNumbers() {
    assertThat(accepted(part("globex", "10", "h100"), part("acme", "7", "h100")).warnings())
        .containsExactly(
            new AccessWarning.PoolOvercommitted(
                H100, GpuQuantity.ofGpus(17).units(), GpuQuantity.ofGpus(16)));
  }

  @Test
  void unknownTenantsAndPoolsAreRefusedAtTheirPlaces() {
    assertThat(denied(part("acne", "1", "h100"), part("globex", "1", "h10")))
        .containsExactly(
            new Denial.Unknown("tenants[acne].name", Kind.TENANT, "acne", Optional.of("acme")),
            new Denial.Unknown("tenants[globex].pools[0]", Kind.POOL, "h10", Optional.of("h100")));
    assertThat(denied(part("platform", "1", "h100")))
        .as("the owner has no part")
        .hasSize(1)
        .first()
        .isInstanceOf(Denial.Unknown.class);
  }

  @Test
  void aTenantHasOnePartOfAPool() {
    assertThat(denied(part("acme", "1", "h100"), part("acme", "2", "a100", "h100")))
        .containsExactly(new Denial.Duplicate("tenants[acme].pools[1]", Kind.POOL, "h100"));
  }

  @Test
  void aReservationAboveTheLimitAndAPartOfNothingAreRefused() {
    assertThat(denied(new TenantPartSpec("acme", List.of("h100"), "4", "2", 0)))
        .containsExactly(
            new Denial.ReservationAboveLimit(
                "tenants[acme].reservation",
                Kind.TENANT,
                "acme",
                GpuQuantity.ofGpus(4),
                GpuQuantity.ofGpus(2)));
    assertThat(denied(part("acme", "1"))).hasSize(1);
  }

  @Test
  void onlyThePlatformHasPartsAndItHasNothingElse() {
    AccessState acme = new AccessState(AccessConfiguration.EMPTY, Set.of(), Optional.of(SUPPLY));
    assertThat(Replacement.decide(acme, spec(part("globex", "1", "h100")), Thoroughness.EVERYTHING))
        .isEqualTo(AccessDecision.denied(new Denial.PartsOfPlatformOnly("tenants")));
    AccessSpec groups = Specs.all(List.of(Specs.group("devs", "ada")), List.of(), List.of());
    assertThat(decide(groups)).isEqualTo(AccessDecision.denied(new Denial.PlatformHasPartsOnly()));
    assertThat(
            AccessEdit.put(
                AccessParts.GROUPS,
                platform(Optional.empty()),
                AccessEdit.Mode.CREATE,
                Specs.group("devs", "ada")))
        .isEqualTo(AccessDecision.denied(new Denial.PlatformHasPartsOnly()));
  }

  @Test
  void partsAreCheckedAgainstTheSupply() {
    assertThat(
            Replacement.decide(
                platform(Optional.empty()),
                spec(part("acme", "1", "h100")),
                Thoroughness.CHANGES_ONLY))
        .isEqualTo(new AccessDecision.SupplyNeeded());
  }
}
