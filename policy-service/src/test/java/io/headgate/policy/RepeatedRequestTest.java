package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.failure.Refusal;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.CreateGroupRequest;
import io.headgate.proto.policy.v1.CreateTenantRequest;
import io.headgate.proto.policy.v1.CreateUserRequest;
import io.headgate.proto.policy.v1.Group;
import io.headgate.proto.policy.v1.GroupServiceGrpc;
import io.headgate.proto.policy.v1.ReplaceAccessConfigurationRequest;
import io.headgate.proto.policy.v1.Tenant;
import io.headgate.proto.policy.v1.TenantServiceGrpc;
import io.headgate.proto.policy.v1.User;
import io.headgate.proto.policy.v1.UserServiceGrpc;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RepeatedRequestTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @Order(2)
  @RegisterExtension
  static final PolicyFixture POLICY = PolicyFixture.of(POSTGRES);

  private final String requestId = UUID.randomUUID().toString();

  @Test
  void isAnsweredAsTheFirstWas() {
    var tenants = TenantServiceGrpc.newBlockingStub(POLICY.operator());
    CreateTenantRequest request =
        CreateTenantRequest.newBuilder()
            .setTenantId("initech")
            .setTenant(Tenant.newBuilder().setDisplayName("Initech"))
            .setRequestId(requestId)
            .build();
    Tenant first = tenants.createTenant(request);
    assertThat(tenants.createTenant(request)).isEqualTo(first);
  }

  @Test
  void isAnsweredTheSameEvenIfThingsWentOn() {
    Acme acme = Acme.found(POLICY);
    var groups = GroupServiceGrpc.newBlockingStub(acme.admin());
    CreateGroupRequest request =
        CreateGroupRequest.newBuilder()
            .setParent(acme.parent())
            .setGroupId("rnd")
            .setGroup(Group.newBuilder().addUsers("ada"))
            .setRequestId(requestId)
            .build();
    Group first = groups.createGroup(request);
    acme.replace(AccessConfiguration.newBuilder());
    assertThat(groups.createGroup(request)).isEqualTo(first);
    assertThat(acme.configuration().getGroupsList()).isEmpty();
    assertThat(acme.configuration().getVersion()).isEqualTo(2);
  }

  @Test
  void withOtherContentIsRefused() {
    Acme acme = Acme.found(POLICY);
    var users = UserServiceGrpc.newBlockingStub(acme.admin());
    CreateUserRequest request =
        CreateUserRequest.newBuilder()
            .setParent(acme.parent())
            .setUserId("bob")
            .setUser(User.getDefaultInstance())
            .setRequestId(requestId)
            .build();
    users.createUser(request);
    Refusal refusal =
        PolicyFixture.refusal(() -> users.createUser(request.toBuilder().setUserId("eve").build()));
    assertThat(refusal.reason()).isEqualTo("REQUEST_ID_REUSED");
    assertThat(refusal.violations().getFirst().field()).isEqualTo("request_id");
  }

  @Test
  void afterARefusalMaySucceed() {
    Acme acme = Acme.found(POLICY);
    ReplaceAccessConfigurationRequest.Builder request =
        ReplaceAccessConfigurationRequest.newBuilder()
            .setConfiguration(acme.twoTeams())
            .setRequestId(requestId);
    POLICY.pools().provision(acme.id(), acme.resources().toBuilder().clearProfiles().build());
    assertThat(PolicyFixture.refusal(() -> acme.replace(request)).reason())
        .isEqualTo("PROFILE_NOT_FOUND");
    POLICY.pools().provision(acme.id(), acme.resources());
    long version = acme.replace(request).getConfiguration().getVersion();
    assertThat(version).isEqualTo(1);
    acme.group("more");
    assertThat(acme.replace(request).getConfiguration().getVersion()).isEqualTo(1);
    assertThat(acme.configuration().getVersion()).isEqualTo(2);
  }

  @Test
  void ofSomebodyElseIsAnotherRequest() {
    Acme acme = Acme.found(POLICY);
    Acme other = Acme.found(POLICY);
    for (Acme each : List.of(acme, other)) {
      Group made =
          GroupServiceGrpc.newBlockingStub(each.admin())
              .createGroup(
                  CreateGroupRequest.newBuilder()
                      .setParent(each.parent())
                      .setGroupId("rnd")
                      .setGroup(Group.getDefaultInstance())
                      .setRequestId(requestId)
                      .build());
      assertThat(made.getName()).startsWith(each.parent());
    }
  }
}
