package io.headgate.type;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class ViewerTest {
  private static final String ADA = "tenants/acme/users/ada";
  private static final String ALAN = "tenants/acme/users/alan";
  private static final Viewer MEMBER =
      Viewer.member(ADA, Set.of("rnd", "ops"), Set.of("ops"), false);
  private static final Viewer STRANGER = Viewer.member(ADA, Set.of(), Set.of(), false);
  private static final Viewer OPEN = Viewer.member(ADA, Set.of("rnd"), Set.of(), true);
  private static final Viewer ADMIN = Viewer.governing("tenants/acme/users/root");

  /// One thing, and what a caller may do with it.
  record Case(Viewer viewer, String owner, String team, boolean sees, boolean steers) {}

  static List<Case> cases() {
    return List.of(
        new Case(MEMBER, ADA, "sales", true, true),
        new Case(MEMBER, ALAN, "rnd", true, false),
        new Case(MEMBER, ALAN, "ops", true, true),
        new Case(MEMBER, ALAN, "sales", false, false),
        new Case(MEMBER, ALAN, "", false, false),
        new Case(MEMBER, "tenants/acme/serviceAccounts/ada", "sales", false, false),
        new Case(STRANGER, ADA, "rnd", true, true),
        new Case(STRANGER, ALAN, "rnd", false, false),
        new Case(OPEN, ALAN, "sales", true, false),
        new Case(OPEN, ADA, "sales", true, true),
        new Case(ADMIN, ALAN, "sales", true, true),
        new Case(Viewer.OF_ALL, ALAN, "sales", true, false));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void seesItsOwnAndItsTeamsAndSteersItsOwnAndWhatItLeads(Case each) {
    assertThat(each.viewer().sees(each.owner(), each.team())).isEqualTo(each.sees());
    assertThat(each.viewer().steers(each.owner(), each.team())).isEqualTo(each.steers());
  }

  @Test
  void seesATeamsThingsAsAWholeOnlyFromWithin() {
    assertThat(MEMBER.seesTeam("rnd")).isTrue();
    assertThat(MEMBER.seesTeam("sales")).isFalse();
    assertThat(OPEN.seesTeam("sales")).isTrue();
  }

  @Test
  void governsOnlyWhatItSees() {
    assertThatThrownBy(() -> new Viewer(true, false, ADA, Set.of(), Set.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /// A watch that resumes compares them.
  @Test
  void viewsOfDifferentThingsDiffer() {
    Viewer ada = Viewer.member("tenants/acme/users/ada", Set.of("rnd"), Set.of(), false);
    assertThat(
            List.of(
                Viewer.OF_ALL.visibilityHash(),
                Viewer.OF_NOTHING.visibilityHash(),
                ada.visibilityHash(),
                Viewer.member("tenants/acme/users/ada", Set.of(), Set.of(), false).visibilityHash(),
                Viewer.member("tenants/acme/users/ada", Set.of("rnd", "ops"), Set.of(), false)
                    .visibilityHash(),
                Viewer.member("tenants/acme/users/bob", Set.of("rnd"), Set.of(), false)
                    .visibilityHash()))
        .doesNotHaveDuplicates();
    assertThat(Viewer.governing("tenants/acme/users/eve").visibilityHash())
        .isEqualTo(Viewer.OF_ALL.visibilityHash());
  }
}
