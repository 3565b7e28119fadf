package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.FieldMask;
import io.grpc.Channel;
import io.grpc.Status.Code;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.policy.v1.AccessConfigurationServiceGrpc;
import io.headgate.proto.policy.v1.CreateGroupRequest;
import io.headgate.proto.policy.v1.CreatePolicyRequest;
import io.headgate.proto.policy.v1.CreateServiceAccountRequest;
import io.headgate.proto.policy.v1.CreateTenantRequest;
import io.headgate.proto.policy.v1.CreateUserRequest;
import io.headgate.proto.policy.v1.DeletePolicyRequest;
import io.headgate.proto.policy.v1.DeleteServiceAccountRequest;
import io.headgate.proto.policy.v1.DeleteTenantRequest;
import io.headgate.proto.policy.v1.DeleteUserRequest;
import io.headgate.proto.policy.v1.GetAccessConfigurationRequest;
import io.headgate.proto.policy.v1.GetGroupRequest;
import io.headgate.proto.policy.v1.GetServiceAccountRequest;
import io.headgate.proto.policy.v1.GetTenantRequest;
import io.headgate.proto.policy.v1.GetUserRequest;
import io.headgate.proto.policy.v1.Group;
import io.headgate.proto.policy.v1.GroupServiceGrpc;
import io.headgate.proto.policy.v1.ListServiceAccountsRequest;
import io.headgate.proto.policy.v1.ListTenantsRequest;
import io.headgate.proto.policy.v1.ListUsersRequest;
import io.headgate.proto.policy.v1.ListUsersResponse;
import io.headgate.proto.policy.v1.Policy;
import io.headgate.proto.policy.v1.PolicyServiceGrpc;
import io.headgate.proto.policy.v1.ServiceAccount;
import io.headgate.proto.policy.v1.ServiceAccountServiceGrpc;
import io.headgate.proto.policy.v1.Tenant;
import io.headgate.proto.policy.v1.TenantServiceGrpc;
import io.headgate.proto.policy.v1.UpdateServiceAccountRequest;
import io.headgate.proto.policy.v1.UpdateUserRequest;
import io.headgate.proto.policy.v1.User;
import io.headgate.proto.policy.v1.UserServiceGrpc;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class PrincipalTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @Order(2)
  @RegisterExtension
  static final PolicyFixture POLICY = PolicyFixture.of(POSTGRES);

  @Test
  void aTenantIsMadeReadAndRemoved() {
    var tenants = TenantServiceGrpc.newBlockingStub(POLICY.operator());
    Tenant made =
        tenants.createTenant(
            CreateTenantRequest.newBuilder()
                .setTenantId("globex")
                .setTenant(Tenant.newBuilder().setDisplayName("Globex Corporation"))
                .build());
    assertThat(made.getName()).isEqualTo("tenants/globex");
    assertThat(tenants.getTenant(GetTenantRequest.newBuilder().setName("tenants/globex").build()))
        .isEqualTo(made);
    Refusal taken = PolicyFixture.refusal(() -> tenants.createTenant(tenant("globex")));
    assertThat(taken.code()).isEqualTo(Code.ALREADY_EXISTS);
    assertThat(taken.reason()).isEqualTo("NAME_TAKEN");
    assertThat(taken.message()).contains("globex");
    assertThat(taken.violations().getFirst().field()).isEqualTo("tenant_id");

    tenants.deleteTenant(DeleteTenantRequest.newBuilder().setName("tenants/globex").build());
    Refusal gone =
        PolicyFixture.refusal(() ->
            tenants.getTenant(GetTenantRequest.newBuilder().setName("tenants/globex").build()));
    assertThat(gone.reason()).isEqualTo("TENANT_NOT_FOUND");
  }

  @Test
  void theIdOfARemovedTenantIsGivenToNoOther() {
    String id = POLICY.tenant();
    var tenants = TenantServiceGrpc.newBlockingStub(POLICY.operator());
    tenants.deleteTenant(DeleteTenantRequest.newBuilder().setName("tenants/" + id).build());
    Refusal retired = PolicyFixture.refusal(() -> tenants.createTenant(tenant(id)));
    assertThat(retired.code()).isEqualTo(Code.ALREADY_EXISTS);
    assertThat(retired.reason()).isEqualTo("NAME_TAKEN");
    assertThat(retired.violations().getFirst().field()).isEqualTo("tenant_id");
    assertThat(retired.message()).contains("'" + id + "'", "removed", "choose another");
  }

  @Test
  void aTenantWithPoliciesStays() {
    String id = POLICY.tenant();
    Channel operator = POLICY.operator();
    group(operator, id, "devs", "ada");
    PolicyServiceGrpc.newBlockingStub(operator)
        .createPolicy(
            CreatePolicyRequest.newBuilder()
                .setParent("tenants/" + id)
                .setPolicyId("rnd")
                .setPolicy(Policy.newBuilder().setGroup("devs").setLimit("4"))
                .build());
    var tenants = TenantServiceGrpc.newBlockingStub(operator);
    DeleteTenantRequest request = DeleteTenantRequest.newBuilder().setName("tenants/" + id).build();
    Refusal refusal = PolicyFixture.refusal(() -> tenants.deleteTenant(request));
    assertThat(refusal.code()).isEqualTo(Code.FAILED_PRECONDITION);
    assertThat(refusal.reason()).isEqualTo("TENANT_IN_USE");
    assertThat(refusal.metadata()).containsEntry("policies", "1");
    PolicyServiceGrpc.newBlockingStub(operator)
        .deletePolicy(
            DeletePolicyRequest.newBuilder().setName("tenants/" + id + "/policies/rnd").build());
    tenants.deleteTenant(request);
  }

  @Test
  void aCallerOfOneTenantSeesThatOne() {
    String own = POLICY.tenant();
    POLICY.tenant();
    List<Tenant> seen =
        TenantServiceGrpc.newBlockingStub(POLICY.member(own))
            .listTenants(ListTenantsRequest.getDefaultInstance())
            .getTenantsList();
    assertThat(seen).extracting(Tenant::getName).containsExactly("tenants/" + own);
  }

  @Test
  void aUserIsMadeChangedAndRemoved() {
    String tenant = POLICY.tenant();
    var users = UserServiceGrpc.newBlockingStub(POLICY.admin(tenant));
    String name = "tenants/" + tenant + "/users/grace";
    User made =
        users.createUser(
            CreateUserRequest.newBuilder()
                .setParent("tenants/" + tenant)
                .setUserId("grace")
                .setUser(User.newBuilder().setDisplayName("Grace"))
                .build());
    assertThat(made.getName()).isEqualTo(name);
    assertThat(made.getAdmin()).isFalse();

    User renamed =
        users.updateUser(
            UpdateUserRequest.newBuilder()
                .setUser(User.newBuilder().setName(name).setAdmin(true).setDisplayName("Hopper"))
                .setUpdateMask(FieldMask.newBuilder().addPaths("display_name"))
                .build());
    assertThat(renamed).isEqualTo(made.toBuilder().setDisplayName("Hopper").build());
    User both =
        users.updateUser(
            UpdateUserRequest.newBuilder()
                .setUser(User.newBuilder().setName(name).setAdmin(true))
                .build());
    assertThat(both.getAdmin()).isTrue();
    assertThat(both.getDisplayName()).isEmpty();
    assertThat(users.getUser(GetUserRequest.newBuilder().setName(name).build())).isEqualTo(both);

    users.deleteUser(DeleteUserRequest.newBuilder().setName(name).build());
    Refusal gone =
        PolicyFixture.refusal(
            () -> users.getUser(GetUserRequest.newBuilder().setName(name).build()));
    assertThat(gone.code()).isEqualTo(Code.NOT_FOUND);
    assertThat(gone.reason()).isEqualTo("USER_NOT_FOUND");
  }

  @Test
  void aMaskNamesFieldsThatCanChange() {
    String tenant = POLICY.tenant();
    Refusal refusal =
        PolicyFixture.refusal(() ->
            UserServiceGrpc.newBlockingStub(POLICY.admin(tenant))
                .updateUser(
                    UpdateUserRequest.newBuilder()
                        .setUser(User.newBuilder().setName("tenants/" + tenant + "/users/ada"))
                        .setUpdateMask(FieldMask.newBuilder().addPaths("create_time"))
                        .build()));
    assertThat(refusal.violations().getFirst().field()).isEqualTo("update_mask.paths[0]");
    assertThat(refusal.message()).contains("create_time", "display_name");
  }

  @Test
  void anAdminRightEndsWithTheNextToken() {
    String tenant = POLICY.tenant();
    String name = "tenants/" + tenant + "/users/admin";
    String key = POLICY.key(name);
    UserServiceGrpc.newBlockingStub(POLICY.operator())
        .updateUser(
            UpdateUserRequest.newBuilder().setUser(User.newBuilder().setName(name)).build());
    Refusal refusal =
        PolicyFixture.refusal(
            () -> group(POLICY.channel(POLICY.exchange(key)), tenant, "devs", "ada"));
    assertThat(refusal.reason()).isEqualTo("ROLE_DENIED");
  }

  @Test
  void whoIsRemovedLeavesItsGroupsAsANewVersion() {
    String tenant = POLICY.tenant();
    Channel admin = POLICY.admin(tenant);
    group(admin, tenant, "devs", "ada", "grace");
    long before = version(admin, tenant);
    UserServiceGrpc.newBlockingStub(admin)
        .deleteUser(
            DeleteUserRequest.newBuilder().setName("tenants/" + tenant + "/users/ada").build());
    assertThat(version(admin, tenant)).isEqualTo(before + 1);
    assertThat(
            GroupServiceGrpc.newBlockingStub(admin)
                .getGroup(
                    GetGroupRequest.newBuilder()
                        .setName("tenants/" + tenant + "/groups/devs")
                        .build())
                .getUsersList())
        .containsExactly("grace");
    UserServiceGrpc.newBlockingStub(admin)
        .createUser(
            CreateUserRequest.newBuilder()
                .setParent("tenants/" + tenant)
                .setUserId("lone")
                .setUser(User.getDefaultInstance())
                .build());
    UserServiceGrpc.newBlockingStub(admin)
        .deleteUser(
            DeleteUserRequest.newBuilder().setName("tenants/" + tenant + "/users/lone").build());
    assertThat(version(admin, tenant)).isEqualTo(before + 1);
  }

  @Test
  void usersAreListedPageByPageAndTokensBelongToTheirList() {
    String tenant = POLICY.tenant();
    String other = POLICY.tenant();
    Channel admin = POLICY.admin(tenant);
    group(admin, tenant, "devs", "b", "a", "d", "c");
    var users = UserServiceGrpc.newBlockingStub(admin);
    List<String> listed = new ArrayList<>();
    String token = "";
    String aToken = "";
    do {
      ListUsersResponse page =
          users.listUsers(
              ListUsersRequest.newBuilder()
                  .setParent("tenants/" + tenant)
                  .setPageSize(2)
                  .setPageToken(token)
                  .build());
      page.getUsersList().forEach(user -> listed.add(user.getName()));
      aToken = page.getNextPageToken().isEmpty() ? aToken : page.getNextPageToken();
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    assertThat(listed)
        .map(name -> name.substring(name.lastIndexOf('/') + 1))
        .containsExactly("a", "ada", "admin", "b", "c", "d");
    String foreign = aToken;
    Refusal refusal =
        PolicyFixture.refusal(() ->
            UserServiceGrpc.newBlockingStub(POLICY.admin(other))
                .listUsers(
                    ListUsersRequest.newBuilder()
                        .setParent("tenants/" + other)
                        .setPageToken(foreign)
                        .build()));
    assertThat(refusal.reason()).isEqualTo("INVALID_PAGE_TOKEN");
  }

  @Test
  void aServiceAccountIsMadeChangedAndRemoved() {
    String tenant = POLICY.tenant();
    Channel admin = POLICY.admin(tenant);
    var accounts = ServiceAccountServiceGrpc.newBlockingStub(admin);
    String name = "tenants/" + tenant + "/serviceAccounts/nightly";
    ServiceAccount made =
        accounts.createServiceAccount(
            CreateServiceAccountRequest.newBuilder()
                .setParent("tenants/" + tenant)
                .setServiceAccountId("nightly")
                .setServiceAccount(ServiceAccount.newBuilder().setDisplayName("nightly build"))
                .build());
    assertThat(made.getName()).isEqualTo(name);
    ServiceAccount renamed =
        accounts.updateServiceAccount(
            UpdateServiceAccountRequest.newBuilder()
                .setServiceAccount(
                    ServiceAccount.newBuilder().setName(name).setDisplayName("nightly"))
                .build());
    assertThat(renamed.getDisplayName()).isEqualTo("nightly");
    assertThat(
            accounts
                .listServiceAccounts(
                    ListServiceAccountsRequest.newBuilder().setParent("tenants/" + tenant).build())
                .getServiceAccountsList())
        .containsExactly(renamed);
    String key = POLICY.key(name);
    assertThat(POLICY.service().verifier().verify(POLICY.exchange(key)).role().claim())
        .isEqualTo("service-account");
    accounts.deleteServiceAccount(DeleteServiceAccountRequest.newBuilder().setName(name).build());
    assertThat(PolicyFixture.refusal(() -> POLICY.exchange(key)).reason())
        .isEqualTo("KEY_REJECTED");
    Refusal gone =
        PolicyFixture.refusal(() ->
            accounts.getServiceAccount(
                GetServiceAccountRequest.newBuilder().setName(name).build()));
    assertThat(gone.reason()).isEqualTo("SERVICE_ACCOUNT_NOT_FOUND");
  }

  @Test
  void badNamesAreRefusedWithTheFieldAndTheForm() {
    Channel operator = POLICY.operator();
    Refusal bad =
        PolicyFixture.refusal(
            () -> TenantServiceGrpc.newBlockingStub(operator).createTenant(tenant("Acme Corp")));
    assertThat(bad.code()).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(bad.violations().getFirst().field()).isEqualTo("tenant_id");
    Refusal form =
        PolicyFixture.refusal(() ->
            UserServiceGrpc.newBlockingStub(operator)
                .getUser(GetUserRequest.newBuilder().setName("users/ada").build()));
    assertThat(form.reason()).isEqualTo("INVALID_NAME");
    assertThat(form.message()).contains("users/ada", "tenants/TENANT/users/ID");
  }

  private static CreateTenantRequest tenant(String id) {
    return CreateTenantRequest.newBuilder()
        .setTenantId(id)
        .setTenant(Tenant.getDefaultInstance())
        .build();
  }

  private static void group(Channel caller, String tenant, String id, String... users) {
    GroupServiceGrpc.newBlockingStub(caller)
        .createGroup(
            CreateGroupRequest.newBuilder()
                .setParent("tenants/" + tenant)
                .setGroupId(id)
                .setGroup(Group.newBuilder().addAllUsers(List.of(users)))
                .build());
  }

  private static long version(Channel caller, String tenant) {
    return AccessConfigurationServiceGrpc.newBlockingStub(caller)
        .getAccessConfiguration(
            GetAccessConfigurationRequest.newBuilder().setParent("tenants/" + tenant).build())
        .getVersion();
  }
}
