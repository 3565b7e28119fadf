package io.headgate.policy;

import static io.headgate.policy.PolicyFixture.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.FieldMask;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.AccessConfiguration.Visibility;
import io.headgate.proto.policy.v1.DeleteUserRequest;
import io.headgate.proto.policy.v1.Group;
import io.headgate.proto.policy.v1.GroupServiceGrpc;
import io.headgate.proto.policy.v1.UpdateGroupRequest;
import io.headgate.proto.policy.v1.UpdateUserRequest;
import io.headgate.proto.policy.v1.User;
import io.headgate.proto.policy.v1.UserServiceGrpc;
import io.headgate.proto.policy.v1.WatchAccessResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Leads, the visibility of a tenant, and what other services are told of roles.
final class VisibilityTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @Order(2)
  @RegisterExtension
  static final PolicyFixture POLICY = PolicyFixture.of(POSTGRES);

  private static AccessConfiguration.Builder led(Acme acme) {
    AccessConfiguration.Builder rights = acme.twoTeams();
    return rights.setGroups(0, rights.getGroups(0).toBuilder().addLeads("grace"));
  }

  @Test
  void leadsAndVisibilityAreKeptAndChangedLikeTheRest() {
    Acme acme = Acme.found(POLICY);
    acme.replace(led(acme).setVisibility(Visibility.VISIBILITY_TENANT));
    AccessConfiguration kept = acme.configuration();
    Group rnd =
        kept.getGroupsList().stream()
            .filter(group -> group.getName().endsWith("/rnd"))
            .findFirst()
            .orElseThrow();
    assertThat(rnd.getLeadsList()).containsExactly("grace");
    assertThat(kept.getVisibility()).isEqualTo(Visibility.VISIBILITY_TENANT);
    assertThat(acme.replace(led(acme).setVisibility(Visibility.VISIBILITY_TENANT)))
        .extracting(answer -> answer.getConfiguration().getVersion())
        .as("nothing changed")
        .isEqualTo(kept.getVersion());
    Group other =
        GroupServiceGrpc.newBlockingStub(acme.admin())
            .updateGroup(
                UpdateGroupRequest.newBuilder()
                    .setGroup(rnd.toBuilder().clearLeads().addLeads("ada"))
                    .setUpdateMask(FieldMask.newBuilder().addPaths("leads"))
                    .build());
    assertThat(other.getLeadsList()).containsExactly("ada");
    assertThat(acme.replace(acme.twoTeams()).getConfiguration().getVisibility())
        .isEqualTo(Visibility.VISIBILITY_OWN);
  }

  @Test
  void refusesALeadWhoIsNotInTheGroup() {
    Acme acme = Acme.found(POLICY);
    AccessConfiguration.Builder rights = acme.twoTeams();
    rights.setGroups(0, rights.getGroups(0).toBuilder().addLeads("linus"));
    assertThat(refusal(() -> acme.replace(rights)))
        .satisfies(refusal -> {
          assertThat(refusal.reason()).isEqualTo("LEAD_NOT_IN_GROUP");
          assertThat(refusal.message()).contains("'linus'", "'rnd'");
        });
  }

  @Test
  void aDeletedUserLeadsNothing() {
    Acme acme = Acme.found(POLICY);
    acme.replace(led(acme));
    UserServiceGrpc.newBlockingStub(acme.admin())
        .deleteUser(DeleteUserRequest.newBuilder().setName(acme.parent() + "/users/grace").build());
    assertThat(acme.configuration().getGroupsList())
        .allSatisfy(group -> assertThat(group.getLeadsList()).isEmpty());
  }

  private static List<String> admins(WatchAccessResponse step, Acme acme) {
    return step.getConfigurationsList().stream()
        .filter(each -> each.getTenant().equals(acme.id()))
        .findFirst()
        .filter(AccessConfiguration::getAdminsStated)
        .orElseThrow()
        .getAdminsList();
  }

  @Test
  void tellsWatchersWhoTheAdminsAreNow() {
    Acme acme = Acme.found(POLICY);
    acme.replace(led(acme));
    var users = UserServiceGrpc.newBlockingStub(acme.admin());
    try (Watching watching = Watching.from(POLICY.as("services/scheduler"))) {
      assertThat(admins(watching.next(), acme)).containsExactly("admin");
      User.Builder ada = User.newBuilder().setName(acme.parent() + "/users/ada");
      FieldMask mask = FieldMask.newBuilder().addPaths("admin").build();
      users.updateUser(
          UpdateUserRequest.newBuilder().setUser(ada.setAdmin(true)).setUpdateMask(mask).build());
      WatchAccessResponse promoted = watching.change();
      assertThat(admins(promoted, acme)).containsExactly("ada", "admin");
      assertThat(promoted.getConfigurations(0).getVersion())
          .as("who is an admin is no part of the configuration")
          .isEqualTo(acme.configuration().getVersion());
      users.updateUser(
          UpdateUserRequest.newBuilder().setUser(ada.setAdmin(false)).setUpdateMask(mask).build());
      assertThat(admins(watching.change(), acme)).containsExactly("admin");
    }
  }

  @Test
  void aMembersTokenSaysThatItsTenantIsOpen() {
    Acme acme = Acme.found(POLICY);
    acme.replace(led(acme));
    String key = POLICY.key(acme.parent() + "/users/grace");
    assertThat(claims(POLICY.exchange(key))).doesNotContain("visibility");
    acme.replace(led(acme).setVisibility(Visibility.VISIBILITY_TENANT));
    assertThat(claims(POLICY.exchange(key))).contains("\"visibility\":\"tenant\"");
  }

  private static String claims(String token) {
    return new String(Base64.getUrlDecoder().decode(token.split("[.]")[1]), StandardCharsets.UTF_8);
  }
}
