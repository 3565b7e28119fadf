package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import io.grpc.stub.ClientCalls;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.AccessConfigurationServiceGrpc;
import io.headgate.proto.policy.v1.AuditServiceGrpc;
import io.headgate.proto.policy.v1.CreateGroupRequest;
import io.headgate.proto.policy.v1.CreateJoinTokenRequest;
import io.headgate.proto.policy.v1.CreateKeyRequest;
import io.headgate.proto.policy.v1.CreatePolicyRequest;
import io.headgate.proto.policy.v1.CreateQueueRequest;
import io.headgate.proto.policy.v1.CreateServiceAccountRequest;
import io.headgate.proto.policy.v1.CreateUserRequest;
import io.headgate.proto.policy.v1.CreateVaultRequest;
import io.headgate.proto.policy.v1.DeleteGroupRequest;
import io.headgate.proto.policy.v1.DeletePolicyRequest;
import io.headgate.proto.policy.v1.DeleteQueueRequest;
import io.headgate.proto.policy.v1.DeleteServiceAccountRequest;
import io.headgate.proto.policy.v1.DeleteUserRequest;
import io.headgate.proto.policy.v1.DeleteVaultRequest;
import io.headgate.proto.policy.v1.GetAccessConfigurationRequest;
import io.headgate.proto.policy.v1.GetGroupRequest;
import io.headgate.proto.policy.v1.GetPolicyRequest;
import io.headgate.proto.policy.v1.GetQueueRequest;
import io.headgate.proto.policy.v1.GetServiceAccountRequest;
import io.headgate.proto.policy.v1.GetTenantRequest;
import io.headgate.proto.policy.v1.GetUserRequest;
import io.headgate.proto.policy.v1.GetVaultRequest;
import io.headgate.proto.policy.v1.Group;
import io.headgate.proto.policy.v1.GroupServiceGrpc;
import io.headgate.proto.policy.v1.ListDepartmentsRequest;
import io.headgate.proto.policy.v1.ListGroupsRequest;
import io.headgate.proto.policy.v1.ListJoinTokensRequest;
import io.headgate.proto.policy.v1.ListKeysRequest;
import io.headgate.proto.policy.v1.ListPoliciesRequest;
import io.headgate.proto.policy.v1.ListQueuesRequest;
import io.headgate.proto.policy.v1.ListServiceAccountsRequest;
import io.headgate.proto.policy.v1.ListUsersRequest;
import io.headgate.proto.policy.v1.ListVaultsRequest;
import io.headgate.proto.policy.v1.Policy;
import io.headgate.proto.policy.v1.PolicyServiceGrpc;
import io.headgate.proto.policy.v1.Queue;
import io.headgate.proto.policy.v1.QueueServiceGrpc;
import io.headgate.proto.policy.v1.ReplaceAccessConfigurationRequest;
import io.headgate.proto.policy.v1.RevokeJoinTokenRequest;
import io.headgate.proto.policy.v1.ServiceAccount;
import io.headgate.proto.policy.v1.ServiceAccountServiceGrpc;
import io.headgate.proto.policy.v1.TenantServiceGrpc;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.proto.policy.v1.UpdateGroupRequest;
import io.headgate.proto.policy.v1.UpdatePolicyRequest;
import io.headgate.proto.policy.v1.UpdateQueueRequest;
import io.headgate.proto.policy.v1.UpdateServiceAccountRequest;
import io.headgate.proto.policy.v1.UpdateUserRequest;
import io.headgate.proto.policy.v1.UpdateVaultRequest;
import io.headgate.proto.policy.v1.User;
import io.headgate.proto.policy.v1.UserServiceGrpc;
import io.headgate.proto.policy.v1.Vault;
import io.headgate.proto.policy.v1.VaultServiceGrpc;
import io.headgate.proto.policy.v1.VerifyAuditLogRequest;
import io.headgate.proto.type.v1.AccessOuterClass;
import io.headgate.proto.type.v1.Role;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A caller of one tenant learns nothing of another tenant, not even its existence. Each method
/// that names a tenant answers about a foreign one, word for word, as about an absent one.
class IsolationTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @Order(2)
  @RegisterExtension
  static final PolicyFixture POLICY = PolicyFixture.of(POSTGRES);

  /// A call about tenant `foreign`; the descriptor says which, and the request names it.
  private record Case(MethodDescriptor<?, ?> method, Message request) {}

  @TestFactory
  Stream<DynamicTest> aForeignTenantLooksLikeAnAbsentOne() {
    Acme own = Acme.found(POLICY);
    Acme foreign = Acme.found(POLICY);
    foreign.replace(foreign.twoTeams());
    List<Case> present = cases(foreign.id());
    List<Case> absent = cases("absent");
    return Stream.iterate(0, i -> i < present.size(), i -> i + 1)
        .map(i ->
            DynamicTest.dynamicTest(
                present.get(i).method().getFullMethodName(),
                () -> {
                  Refusal refused = refusal(own.admin(), present.get(i));
                  Refusal unknown = refusal(own.admin(), absent.get(i));
                  assertThat(refused.reason()).isEqualTo("TENANT_NOT_FOUND");
                  assertThat(said(refused).replace(foreign.id(), "absent"))
                      .isEqualTo(said(unknown));
                }));
  }

  /// A new method that an admin may call must be looked at here.
  @Test
  void everyMethodThatNamesATenantIsCovered() {
    Set<String> covered = new HashSet<>();
    cases("x").forEach(each -> covered.add(each.method().getFullMethodName()));
    Set<String> open = new HashSet<>();
    for (MethodDescriptor<?, ?> method : methods()) {
      var access =
          ((ProtoMethodDescriptorSupplier) method.getSchemaDescriptor())
              .getMethodDescriptor()
              .getOptions()
              .getExtension(AccessOuterClass.access);
      if (access.getRolesList().contains(Role.ROLE_TENANT_ADMIN)
          && !covered.contains(method.getFullMethodName())) {
        open.add(method.getBareMethodName());
      }
    }
    // These take no tenant from the request: they are about the caller's own, or about one key.
    assertThat(open).containsExactlyInAnyOrder("ListTenants", "WhoAmI", "RevokeKey");
  }

  private static Refusal refusal(Channel channel, Case each) {
    return PolicyFixture.refusal(() -> call(channel, each.method(), each.request()));
  }

  private static String said(Refusal refusal) {
    return refusal.code()
        + refusal.reason()
        + refusal.message()
        + refusal.violations()
        + Map.copyOf(refusal.metadata());
  }

  @SuppressWarnings("unchecked")
  private static <Q, A> A call(Channel channel, MethodDescriptor<Q, A> method, Message request) {
    return ClientCalls.blockingUnaryCall(channel, method, CallOptions.DEFAULT, (Q) request);
  }

  private static List<MethodDescriptor<?, ?>> methods() {
    return Stream.of(
            TenantServiceGrpc.getServiceDescriptor(),
            UserServiceGrpc.getServiceDescriptor(),
            ServiceAccountServiceGrpc.getServiceDescriptor(),
            GroupServiceGrpc.getServiceDescriptor(),
            PolicyServiceGrpc.getServiceDescriptor(),
            QueueServiceGrpc.getServiceDescriptor(),
            VaultServiceGrpc.getServiceDescriptor(),
            AccessConfigurationServiceGrpc.getServiceDescriptor(),
            TokenServiceGrpc.getServiceDescriptor(),
            AuditServiceGrpc.getServiceDescriptor())
        .<MethodDescriptor<?, ?>>flatMap(service -> service.getMethods().stream())
        .toList();
  }

  private static List<Case> cases(String tenant) {
    String parent = "tenants/" + tenant;
    return cases(
        parent,
        parent + "/users/ada",
        parent + "/serviceAccounts/nightly",
        parent + "/groups/rnd",
        parent + "/policies/rnd",
        parent + "/queues/rnd-3",
        parent + "/vaults/rnd");
  }

  private static List<Case> cases(
      String parent,
      String user,
      String account,
      String group,
      String policy,
      String queue,
      String vault) {
    return List.of(
        of(TenantServiceGrpc.getGetTenantMethod(), GetTenantRequest.newBuilder().setName(parent)),
        of(UserServiceGrpc.getListUsersMethod(), ListUsersRequest.newBuilder().setParent(parent)),
        of(UserServiceGrpc.getGetUserMethod(), GetUserRequest.newBuilder().setName(user)),
        of(
            UserServiceGrpc.getCreateUserMethod(),
            CreateUserRequest.newBuilder().setParent(parent).setUserId("ada").setUser(user("x"))),
        of(
            UserServiceGrpc.getUpdateUserMethod(),
            UpdateUserRequest.newBuilder().setUser(user(user))),
        of(UserServiceGrpc.getDeleteUserMethod(), DeleteUserRequest.newBuilder().setName(user)),
        of(
            ServiceAccountServiceGrpc.getListServiceAccountsMethod(),
            ListServiceAccountsRequest.newBuilder().setParent(parent)),
        of(
            ServiceAccountServiceGrpc.getGetServiceAccountMethod(),
            GetServiceAccountRequest.newBuilder().setName(account)),
        of(
            ServiceAccountServiceGrpc.getCreateServiceAccountMethod(),
            CreateServiceAccountRequest.newBuilder()
                .setParent(parent)
                .setServiceAccountId("nightly")
                .setServiceAccount(account(""))),
        of(
            ServiceAccountServiceGrpc.getUpdateServiceAccountMethod(),
            UpdateServiceAccountRequest.newBuilder().setServiceAccount(account(account))),
        of(
            ServiceAccountServiceGrpc.getDeleteServiceAccountMethod(),
            DeleteServiceAccountRequest.newBuilder().setName(account)),
        of(
            GroupServiceGrpc.getListGroupsMethod(),
            ListGroupsRequest.newBuilder().setParent(parent)),
        of(GroupServiceGrpc.getGetGroupMethod(), GetGroupRequest.newBuilder().setName(group)),
        of(
            GroupServiceGrpc.getCreateGroupMethod(),
            CreateGroupRequest.newBuilder()
                .setParent(parent)
                .setGroupId("rnd")
                .setGroup(Group.getDefaultInstance())),
        of(
            GroupServiceGrpc.getUpdateGroupMethod(),
            UpdateGroupRequest.newBuilder().setGroup(Group.newBuilder().setName(group))),
        of(GroupServiceGrpc.getDeleteGroupMethod(), DeleteGroupRequest.newBuilder().setName(group)),
        of(
            PolicyServiceGrpc.getListPoliciesMethod(),
            ListPoliciesRequest.newBuilder().setParent(parent)),
        of(
            PolicyServiceGrpc.getListDepartmentsMethod(),
            ListDepartmentsRequest.newBuilder().setParent(parent)),
        of(PolicyServiceGrpc.getGetPolicyMethod(), GetPolicyRequest.newBuilder().setName(policy)),
        of(
            PolicyServiceGrpc.getCreatePolicyMethod(),
            CreatePolicyRequest.newBuilder()
                .setParent(parent)
                .setPolicyId("rnd")
                .setPolicy(Policy.newBuilder().setGroup("rnd").setLimit("1"))),
        of(
            PolicyServiceGrpc.getUpdatePolicyMethod(),
            UpdatePolicyRequest.newBuilder().setPolicy(Policy.newBuilder().setName(policy))),
        of(
            PolicyServiceGrpc.getDeletePolicyMethod(),
            DeletePolicyRequest.newBuilder().setName(policy)),
        of(
            QueueServiceGrpc.getListQueuesMethod(),
            ListQueuesRequest.newBuilder().setParent(parent)),
        of(QueueServiceGrpc.getGetQueueMethod(), GetQueueRequest.newBuilder().setName(queue)),
        of(
            QueueServiceGrpc.getCreateQueueMethod(),
            CreateQueueRequest.newBuilder()
                .setParent(parent)
                .setQueueId("rnd-3")
                .setQueue(Queue.newBuilder().setPolicy("rnd").setProfile("three"))),
        of(
            QueueServiceGrpc.getUpdateQueueMethod(),
            UpdateQueueRequest.newBuilder().setQueue(Queue.newBuilder().setName(queue))),
        of(QueueServiceGrpc.getDeleteQueueMethod(), DeleteQueueRequest.newBuilder().setName(queue)),
        of(
            VaultServiceGrpc.getListVaultsMethod(),
            ListVaultsRequest.newBuilder().setParent(parent)),
        of(VaultServiceGrpc.getGetVaultMethod(), GetVaultRequest.newBuilder().setName(vault)),
        of(
            VaultServiceGrpc.getCreateVaultMethod(),
            CreateVaultRequest.newBuilder()
                .setParent(parent)
                .setVaultId("rnd")
                .setVault(Vault.getDefaultInstance())),
        of(
            VaultServiceGrpc.getUpdateVaultMethod(),
            UpdateVaultRequest.newBuilder().setVault(Vault.newBuilder().setName(vault))),
        of(VaultServiceGrpc.getDeleteVaultMethod(), DeleteVaultRequest.newBuilder().setName(vault)),
        of(
            AccessConfigurationServiceGrpc.getGetAccessConfigurationMethod(),
            GetAccessConfigurationRequest.newBuilder().setParent(parent)),
        of(
            AccessConfigurationServiceGrpc.getReplaceAccessConfigurationMethod(),
            ReplaceAccessConfigurationRequest.newBuilder()
                .setParent(parent)
                .setConfiguration(AccessConfiguration.getDefaultInstance())),
        of(
            AuditServiceGrpc.getVerifyAuditLogMethod(),
            VerifyAuditLogRequest.newBuilder().setParent(parent)),
        of(TokenServiceGrpc.getCreateKeyMethod(), CreateKeyRequest.newBuilder().setOwner(user)),
        of(TokenServiceGrpc.getListKeysMethod(), ListKeysRequest.newBuilder().setParent(parent)),
        of(
            TokenServiceGrpc.getCreateJoinTokenMethod(),
            CreateJoinTokenRequest.newBuilder().setParent(parent).setPool("onprem")),
        of(
            TokenServiceGrpc.getListJoinTokensMethod(),
            ListJoinTokensRequest.newBuilder().setParent(parent)),
        of(
            TokenServiceGrpc.getRevokeJoinTokenMethod(),
            RevokeJoinTokenRequest.newBuilder().setName(parent + "/joinTokens/0000000000000001")));
  }

  private static User user(String name) {
    return User.newBuilder().setName(name).build();
  }

  private static ServiceAccount account(String name) {
    return ServiceAccount.newBuilder().setName(name).build();
  }

  private static Case of(MethodDescriptor<?, ?> method, Message.Builder request) {
    return new Case(method, request.build());
  }
}
