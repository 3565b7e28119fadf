package io.headgate.policy.core.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.policy.core.Denial;
import io.headgate.policy.core.name.TenantId;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KeyRightsTest {
  private static final Caller OPERATOR =
      new Caller("operators/root", PrincipalRole.PLATFORM_OPERATOR, Optional.empty());
  private static final Caller ADMIN = ofAcme(PrincipalRole.TENANT_ADMIN);

  record Case(String name, Caller caller, String owner, String expected) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Case> cases() {
    return List.of(
        new Case("operator, a user", OPERATOR, "tenants/acme/users/ada", "made"),
        new Case("operator, a service", OPERATOR, "services/scheduler", "made"),
        new Case("operator, an operator", OPERATOR, "operators/second", "made"),
        new Case("operator, a node", OPERATOR, "tenants/acme/nodes/gpu-1", "KeyNotAllowed"),
        new Case("admin, own user", ADMIN, "tenants/acme/users/ada", "made"),
        new Case("admin, own account", ADMIN, "tenants/acme/serviceAccounts/ci", "made"),
        new Case("admin, own node", ADMIN, "tenants/acme/nodes/gpu-1", "KeyNotAllowed"),
        new Case("admin, foreign user", ADMIN, "tenants/globex/users/bob", "NotFound"),
        new Case("admin, a service", ADMIN, "services/scheduler", "KeyNotAllowed"),
        new Case("admin, an operator", ADMIN, "operators/root", "KeyNotAllowed"),
        new Case(
            "member, herself",
            ofAcme(PrincipalRole.MEMBER),
            "tenants/acme/users/ada",
            "KeyNotAllowed"),
        new Case(
            "node, a user", ofAcme(PrincipalRole.NODE), "tenants/acme/users/ada", "KeyNotAllowed"),
        new Case(
            "service account, an operator",
            ofAcme(PrincipalRole.SERVICE_ACCOUNT),
            "operators/root",
            "KeyNotAllowed"));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void nobodyMakesMoreThanItMay(Case each) {
    KeyOwner owner = KeyOwner.parse(each.owner()).orElseThrow();
    String outcome =
        KeyRights.toCreate(each.caller(), owner)
            .map(Denial::getClass)
            .map(Class::getSimpleName)
            .orElse("made");
    assertThat(outcome).isEqualTo(each.expected());
  }

  @Test
  void anAdminGovernsItsTenantOnly() {
    assertThat(KeyRights.toGovern(ADMIN, owner("tenants/acme/nodes/gpu-1"))).isTrue();
    assertThat(KeyRights.toGovern(ADMIN, owner("tenants/globex/nodes/gpu-1"))).isFalse();
    assertThat(KeyRights.toGovern(ADMIN, owner("operators/root"))).isFalse();
    assertThat(KeyRights.toGovern(ofAcme(PrincipalRole.MEMBER), owner("tenants/acme/users/ada")))
        .isFalse();
  }

  @Test
  void ownersAreReadAsTheyAreWritten() {
    for (Case each : cases()) {
      assertThat(owner(each.owner()).name()).isEqualTo(each.owner());
    }
    for (String wrong :
        List.of(
            "",
            "tenants/acme",
            "tenants/acme/users/",
            "tenants/acme/pools/x",
            "users/ada",
            "operators/Root",
            "tenants//users/ada",
            "services/a/b",
            "tenants/acme/users/ada/x")) {
      assertThat(KeyOwner.parse(wrong)).as(wrong).isEmpty();
    }
  }

  private static KeyOwner owner(String name) {
    return KeyOwner.parse(name).orElseThrow();
  }

  private static Caller ofAcme(PrincipalRole role) {
    return new Caller("tenants/acme/users/x", role, Optional.of(new TenantId("acme")));
  }
}
