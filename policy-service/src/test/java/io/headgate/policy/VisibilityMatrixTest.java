package io.headgate.policy;

import static io.headgate.policy.PolicyFixture.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.ScopeMatrix;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.AccessConfiguration.Visibility;
import io.headgate.proto.policy.v1.AccessConfigurationServiceGrpc;
import io.headgate.proto.policy.v1.Department;
import io.headgate.proto.policy.v1.GetAccessConfigurationRequest;
import io.headgate.proto.policy.v1.GetGroupRequest;
import io.headgate.proto.policy.v1.GetPolicyRequest;
import io.headgate.proto.policy.v1.GetQueueRequest;
import io.headgate.proto.policy.v1.GetServiceAccountRequest;
import io.headgate.proto.policy.v1.GetUserRequest;
import io.headgate.proto.policy.v1.GetVaultRequest;
import io.headgate.proto.policy.v1.Group;
import io.headgate.proto.policy.v1.GroupServiceGrpc;
import io.headgate.proto.policy.v1.ListDepartmentsRequest;
import io.headgate.proto.policy.v1.ListGroupsRequest;
import io.headgate.proto.policy.v1.ListPoliciesRequest;
import io.headgate.proto.policy.v1.ListQueuesRequest;
import io.headgate.proto.policy.v1.ListServiceAccountsRequest;
import io.headgate.proto.policy.v1.ListUsersRequest;
import io.headgate.proto.policy.v1.ListVaultsRequest;
import io.headgate.proto.policy.v1.Policy;
import io.headgate.proto.policy.v1.PolicyServiceGrpc;
import io.headgate.proto.policy.v1.Queue;
import io.headgate.proto.policy.v1.QueueServiceGrpc;
import io.headgate.proto.policy.v1.ServiceAccount;
import io.headgate.proto.policy.v1.ServiceAccountServiceGrpc;
import io.headgate.proto.policy.v1.User;
import io.headgate.proto.policy.v1.UserServiceGrpc;
import io.headgate.proto.policy.v1.Vault;
import io.headgate.proto.policy.v1.VaultServiceGrpc;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The visible rights and accounts of each caller, by every RPC: its own, its group's, another
/// group's, and a foreign tenant's.
final class VisibilityMatrixTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @Order(2)
  @RegisterExtension
  static final PolicyFixture POLICY = PolicyFixture.of(POSTGRES);

  private static Acme acme;
  private static Map<Caller, Channel> channels;

  /// A caller, and whether it is in the group rnd.
  private enum Caller {
    MEMBER(true),
    SERVICE_ACCOUNT(true),
    OTHER_GROUP(false),
    WITHOUT_GROUP(false),
    ADMIN(true),
    OPERATOR(true),
    FOREIGN(false);

    final boolean seesRnd;

    Caller(boolean seesRnd) {
      this.seesRnd = seesRnd;
    }

    boolean sees(boolean isOpen) {
      return sees(isOpen, seesRnd);
    }

    /// In an open tenant, what it sees in a closed one and all that belongs to others.
    boolean sees(boolean isOpen, boolean seesInClosed) {
      return seesInClosed || (isOpen && this != FOREIGN && this != WITHOUT_GROUP);
    }

    boolean governs() {
      return this == ADMIN || this == OPERATOR;
    }
  }

  @BeforeAll
  static void twoGroups() {
    acme = Acme.found(POLICY);
    open(false);
    channels = new EnumMap<>(Caller.class);
    channels.put(Caller.MEMBER, POLICY.as(acme.parent() + "/users/grace"));
    channels.put(Caller.SERVICE_ACCOUNT, POLICY.as(acme.parent() + "/serviceAccounts/nightly"));
    channels.put(Caller.OTHER_GROUP, POLICY.as(acme.parent() + "/users/linus"));
    acme.replace(rights(false).setGroups(0, rnd().addUsers("alan")));
    channels.put(Caller.WITHOUT_GROUP, POLICY.as(acme.parent() + "/users/alan"));
    open(false);
    channels.put(Caller.ADMIN, acme.admin());
    channels.put(Caller.OPERATOR, POLICY.operator());
    channels.put(Caller.FOREIGN, POLICY.member(POLICY.tenant()));
  }

  private static Group.Builder rnd() {
    return Group.newBuilder()
        .setName(acme.parent() + "/groups/rnd")
        .addUsers("ada")
        .addUsers("grace")
        .addServiceAccounts("nightly")
        .addLeads("ada");
  }

  private static AccessConfiguration.Builder rights(boolean isOpen) {
    return acme.twoTeams()
        .setGroups(0, rnd())
        .addDepartments(Department.newBuilder().setName(acme.parent() + "/departments/science"))
        .addDepartments(
            Department.newBuilder()
                .setName(acme.parent() + "/departments/physics")
                .setDepartment("science"))
        .setPolicies(0, acme.twoTeams().getPolicies(0).toBuilder().setDepartment("physics"))
        .addVaults(
            Vault.newBuilder()
                .setName(acme.parent() + "/vaults/secrets")
                .addGroups("rnd")
                .putEnvironment("TOKEN", "hunter2"))
        .setVisibility(isOpen ? Visibility.VISIBILITY_TENANT : Visibility.VISIBILITY_OWN);
  }

  private static void open(boolean isOpen) {
    acme.replace(rights(isOpen));
  }

  @TestFactory
  Stream<DynamicTest> membersSeeWhatIsTheirsAndTheirGroups() {
    return matrix(false).tests(POLICY.services());
  }

  @TestFactory
  Stream<DynamicTest> membersOfAnOpenTenantSeeAll() {
    return matrix(true).tests(POLICY.services());
  }

  private static ScopeMatrix matrix(boolean isOpen) {
    ScopeMatrix matrix =
        new ScopeMatrix()
            .with(
                AccessConfigurationServiceGrpc.getGetAccessConfigurationMethod(),
                () -> wholeConfiguration(isOpen));
    groupsAndPolicies(matrix, isOpen, acme.parent());
    queuesAndVaults(matrix, isOpen, acme.parent());
    accounts(matrix, isOpen, acme.parent());
    return matrix;
  }

  private static void groupsAndPolicies(ScopeMatrix matrix, boolean isOpen, String parent) {
    matrix
        .with(
            GroupServiceGrpc.getListGroupsMethod(),
            () ->
                lists(
                    isOpen,
                    parent + "/groups/rnd",
                    channel ->
                        GroupServiceGrpc.newBlockingStub(channel)
                            .listGroups(ListGroupsRequest.newBuilder().setParent(parent).build())
                            .getGroupsList()
                            .stream()
                            .map(Group::getName)))
        .with(
            GroupServiceGrpc.getGetGroupMethod(),
            () ->
                gets(
                    isOpen,
                    parent + "/groups/rnd",
                    (channel, name) ->
                        GroupServiceGrpc.newBlockingStub(channel)
                            .getGroup(GetGroupRequest.newBuilder().setName(name).build())))
        .with(
            PolicyServiceGrpc.getListPoliciesMethod(),
            () ->
                lists(
                    isOpen,
                    parent + "/policies/rnd",
                    channel ->
                        PolicyServiceGrpc.newBlockingStub(channel)
                            .listPolicies(
                                ListPoliciesRequest.newBuilder().setParent(parent).build())
                            .getPoliciesList()
                            .stream()
                            .map(Policy::getName)))
        .with(
            PolicyServiceGrpc.getListDepartmentsMethod(),
            () ->
                lists(
                    isOpen,
                    parent + "/departments/science",
                    channel ->
                        PolicyServiceGrpc.newBlockingStub(channel)
                            .listDepartments(
                                ListDepartmentsRequest.newBuilder().setParent(parent).build())
                            .getDepartmentsList()
                            .stream()
                            .map(Department::getName)))
        .with(
            PolicyServiceGrpc.getGetPolicyMethod(),
            () ->
                gets(
                    isOpen,
                    parent + "/policies/rnd",
                    (channel, name) ->
                        PolicyServiceGrpc.newBlockingStub(channel)
                            .getPolicy(GetPolicyRequest.newBuilder().setName(name).build())));
  }

  private static void queuesAndVaults(ScopeMatrix matrix, boolean isOpen, String parent) {
    matrix
        .with(
            QueueServiceGrpc.getListQueuesMethod(),
            () ->
                lists(
                    isOpen,
                    parent + "/queues/rnd-3",
                    channel ->
                        QueueServiceGrpc.newBlockingStub(channel)
                            .listQueues(ListQueuesRequest.newBuilder().setParent(parent).build())
                            .getQueuesList()
                            .stream()
                            .map(Queue::getName)))
        .with(
            QueueServiceGrpc.getGetQueueMethod(),
            () ->
                gets(
                    isOpen,
                    parent + "/queues/rnd-3",
                    (channel, name) ->
                        QueueServiceGrpc.newBlockingStub(channel)
                            .getQueue(GetQueueRequest.newBuilder().setName(name).build())))
        .with(
            VaultServiceGrpc.getListVaultsMethod(),
            () ->
                lists(
                    isOpen,
                    parent + "/vaults/secrets",
                    channel ->
                        VaultServiceGrpc.newBlockingStub(channel)
                            .listVaults(ListVaultsRequest.newBuilder().setParent(parent).build())
                            .getVaultsList()
                            .stream()
                            .map(Vault::getName)))
        .with(
            VaultServiceGrpc.getGetVaultMethod(),
            () -> {
              gets(isOpen, parent + "/vaults/secrets", VisibilityMatrixTest::vault);
              for (Caller caller : Caller.values()) {
                if (caller.sees(isOpen)) {
                  assertThat(vault(channels.get(caller), parent + "/vaults/secrets"))
                      .as("%s", caller)
                      .extracting(Vault::getEnvironmentHidden)
                      .isEqualTo(!caller.governs());
                }
              }
            });
  }

  private static void accounts(ScopeMatrix matrix, boolean isOpen, String parent) {
    matrix
        .with(
            UserServiceGrpc.getListUsersMethod(),
            () ->
                ofAccount(
                    isOpen,
                    Caller.MEMBER,
                    parent + "/users/grace",
                    (channel, name) ->
                        UserServiceGrpc.newBlockingStub(channel)
                            .listUsers(ListUsersRequest.newBuilder().setParent(parent).build())
                            .getUsersList()
                            .stream()
                            .map(User::getName)
                            .anyMatch(name::equals)))
        .with(
            UserServiceGrpc.getGetUserMethod(),
            () ->
                ofAccount(
                    isOpen,
                    Caller.MEMBER,
                    parent + "/users/grace",
                    (channel, name) ->
                        isFound(() ->
                            UserServiceGrpc.newBlockingStub(channel)
                                .getUser(GetUserRequest.newBuilder().setName(name).build()))))
        .with(
            ServiceAccountServiceGrpc.getListServiceAccountsMethod(),
            () ->
                ofAccount(
                    isOpen,
                    Caller.SERVICE_ACCOUNT,
                    parent + "/serviceAccounts/nightly",
                    (channel, name) ->
                        ServiceAccountServiceGrpc.newBlockingStub(channel)
                            .listServiceAccounts(
                                ListServiceAccountsRequest.newBuilder().setParent(parent).build())
                            .getServiceAccountsList()
                            .stream()
                            .map(ServiceAccount::getName)
                            .anyMatch(name::equals)))
        .with(
            ServiceAccountServiceGrpc.getGetServiceAccountMethod(),
            () ->
                ofAccount(
                    isOpen,
                    Caller.SERVICE_ACCOUNT,
                    parent + "/serviceAccounts/nightly",
                    (channel, name) ->
                        isFound(() ->
                            ServiceAccountServiceGrpc.newBlockingStub(channel)
                                .getServiceAccount(
                                    GetServiceAccountRequest.newBuilder().setName(name).build()))));
  }

  private static Vault vault(Channel channel, String name) {
    return VaultServiceGrpc.newBlockingStub(channel)
        .getVault(GetVaultRequest.newBuilder().setName(name).build());
  }

  private interface Listing {
    Stream<String> of(Channel channel);
  }

  private interface Getting {
    Object of(Channel channel, String name);
  }

  private interface Sight {
    boolean of(Channel channel, String name);
  }

  private static void lists(boolean isOpen, String name, Listing list) {
    open(isOpen);
    for (Caller caller : Caller.values()) {
      if (caller == Caller.FOREIGN) {
        assertThat(refusal(() -> list.of(channels.get(caller))).reason())
            .isEqualTo("TENANT_NOT_FOUND");
      } else {
        assertThat(list.of(channels.get(caller)).anyMatch(name::equals))
            .as("%s", caller)
            .isEqualTo(caller.sees(isOpen));
      }
    }
  }

  private static void gets(boolean isOpen, String name, Getting get) {
    open(isOpen);
    String absent = name + "-is-absent";
    for (Caller caller : Caller.values()) {
      Channel channel = channels.get(caller);
      if (caller.sees(isOpen)) {
        assertThat(get.of(channel, name)).as("%s", caller).isNotNull();
      } else {
        Refusal unseen = refusal(() -> get.of(channel, name));
        Refusal none = refusal(() -> get.of(channel, absent));
        assertThat(unseen.reason()).as("%s", caller).isEqualTo(none.reason());
        assertThat(unseen.message()).isEqualTo(none.message().replace("-is-absent", ""));
      }
    }
  }

  /// An account is seen by itself and by admins.
  private static void ofAccount(boolean isOpen, Caller own, String name, Sight isSeen) {
    open(isOpen);
    for (Caller caller : Caller.values()) {
      if (caller == Caller.FOREIGN) {
        assertThat(isFound(() -> isSeen.of(channels.get(caller), name))).isFalse();
      } else {
        assertThat(isSeen.of(channels.get(caller), name))
            .as("%s", caller)
            .isEqualTo(caller == own || caller.governs() || caller.sees(isOpen, false));
      }
    }
  }

  private static boolean isFound(Supplier<Object> call) {
    try {
      return !Boolean.FALSE.equals(call.get());
    } catch (StatusRuntimeException e) {
      assertThat(GrpcFailures.refusal(e).orElseThrow().reason()).endsWith("NOT_FOUND");
      return false;
    }
  }

  private static void wholeConfiguration(boolean isOpen) {
    open(isOpen);
    GetAccessConfigurationRequest request =
        GetAccessConfigurationRequest.newBuilder().setParent(acme.parent()).build();
    for (Caller caller : Caller.values()) {
      var stub = AccessConfigurationServiceGrpc.newBlockingStub(channels.get(caller));
      if (caller == Caller.FOREIGN) {
        assertThat(refusal(() -> stub.getAccessConfiguration(request)).reason())
            .isEqualTo("TENANT_NOT_FOUND");
      } else if (caller.governs() || caller.sees(isOpen, false)) {
        AccessConfiguration whole = stub.getAccessConfiguration(request);
        assertThat(whole.getGroupsCount()).as("%s", caller).isEqualTo(2);
        assertThat(whole.getVaults(0).getEnvironmentHidden()).isEqualTo(!caller.governs());
      } else {
        assertThat(refusal(() -> stub.getAccessConfiguration(request)).reason())
            .as("%s", caller)
            .isEqualTo("ADMINS_ONLY");
      }
    }
  }

  @Test
  void aMemberSeesOnlyItsGroupsOfAVault() {
    acme.replace(
        rights(false)
            .setVaults(
                0,
                Vault.newBuilder()
                    .setName(acme.parent() + "/vaults/secrets")
                    .addGroups("devops")
                    .addGroups("rnd"))
            .addVaults(Vault.newBuilder().setName(acme.parent() + "/vaults/all")));
    assertThat(
            vault(channels.get(Caller.MEMBER), acme.parent() + "/vaults/secrets").getGroupsList())
        .isEqualTo(List.of("rnd"));
    assertThat(vault(channels.get(Caller.OTHER_GROUP), acme.parent() + "/vaults/all")).isNotNull();
    assertThat(
            refusal(() -> vault(channels.get(Caller.WITHOUT_GROUP), acme.parent() + "/vaults/all"))
                .reason())
        .isEqualTo("VAULT_NOT_FOUND");
  }
}
