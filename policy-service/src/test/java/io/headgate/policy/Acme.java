package io.headgate.policy;

import com.google.protobuf.FieldMask;
import io.grpc.Channel;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.AccessConfigurationServiceGrpc;
import io.headgate.proto.policy.v1.CreateGroupRequest;
import io.headgate.proto.policy.v1.CreatePolicyRequest;
import io.headgate.proto.policy.v1.CreateQueueRequest;
import io.headgate.proto.policy.v1.CreateVaultRequest;
import io.headgate.proto.policy.v1.GetAccessConfigurationRequest;
import io.headgate.proto.policy.v1.Group;
import io.headgate.proto.policy.v1.GroupServiceGrpc;
import io.headgate.proto.policy.v1.Policy;
import io.headgate.proto.policy.v1.PolicyServiceGrpc;
import io.headgate.proto.policy.v1.Queue;
import io.headgate.proto.policy.v1.QueueServiceGrpc;
import io.headgate.proto.policy.v1.ReplaceAccessConfigurationRequest;
import io.headgate.proto.policy.v1.ReplaceAccessConfigurationResponse;
import io.headgate.proto.policy.v1.UpdatePolicyRequest;
import io.headgate.proto.policy.v1.UpdateQueueRequest;
import io.headgate.proto.policy.v1.Vault;
import io.headgate.proto.policy.v1.VaultServiceGrpc;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import java.util.List;

/// A tenant under test, spoken to as its admin: each method is one call.
final class Acme {
  private final PolicyFixture policy;
  private final String id;
  private final Channel admin;

  private Acme(PolicyFixture policy, String id) {
    this.policy = policy;
    this.id = id;
    this.admin = policy.admin(id);
  }

  /// A new tenant whose provisioned profiles are `three` (3 GPUs), `gang` (2 × 4 GPUs) and `half`,
  /// on a pool of 10 GPUs.
  static Acme found(PolicyFixture policy) {
    Acme acme = new Acme(policy, policy.tenant());
    policy.pools().provision(acme.id, acme.resources());
    return acme;
  }

  String id() {
    return id;
  }

  String parent() {
    return "tenants/" + id;
  }

  Channel admin() {
    return admin;
  }

  ResourceConfiguration resources() {
    return ResourceConfiguration.newBuilder()
        .setTenant(id)
        .setVersion(1)
        .addPools(FakePools.pool(id, "onprem", ""))
        .addProfiles(FakePools.profile(id, "three", "3", 1))
        .addProfiles(FakePools.profile(id, "gang", "4", 2))
        .addProfiles(FakePools.profile(id, "half", "1/2", 0))
        .build();
  }

  /// Gives the pool 10 GPUs on two live nodes.
  void bringNodes() {
    policy
        .pools()
        .nodes(
            id,
            List.of(FakePools.node(id, "a", "onprem", 8), FakePools.node(id, "b", "onprem", 2)));
  }

  Group group(String group, String... users) {
    return GroupServiceGrpc.newBlockingStub(admin)
        .createGroup(
            CreateGroupRequest.newBuilder()
                .setParent(parent())
                .setGroupId(group)
                .setGroup(Group.newBuilder().addAllUsers(List.of(users)))
                .build());
  }

  Policy policy(String id, String group, String reservation, String limit) {
    return policy(
        id, Policy.newBuilder().setGroup(group).setReservation(reservation).setLimit(limit));
  }

  Policy policy(String id, Policy.Builder policy) {
    return PolicyServiceGrpc.newBlockingStub(admin)
        .createPolicy(
            CreatePolicyRequest.newBuilder()
                .setParent(parent())
                .setPolicyId(id)
                .setPolicy(policy)
                .build());
  }

  Policy update(Policy policy, String... fields) {
    return PolicyServiceGrpc.newBlockingStub(admin)
        .updatePolicy(
            UpdatePolicyRequest.newBuilder()
                .setPolicy(policy)
                .setUpdateMask(FieldMask.newBuilder().addAllPaths(List.of(fields)))
                .build());
  }

  Queue queue(String id, String policy, String profile) {
    return QueueServiceGrpc.newBlockingStub(admin)
        .createQueue(
            CreateQueueRequest.newBuilder()
                .setParent(parent())
                .setQueueId(id)
                .setQueue(Queue.newBuilder().setPolicy(policy).setProfile(profile))
                .build());
  }

  Queue update(Queue queue, String... fields) {
    return QueueServiceGrpc.newBlockingStub(admin)
        .updateQueue(
            UpdateQueueRequest.newBuilder()
                .setQueue(queue)
                .setUpdateMask(FieldMask.newBuilder().addAllPaths(List.of(fields)))
                .build());
  }

  Vault vault(String id, Vault vault) {
    return VaultServiceGrpc.newBlockingStub(admin)
        .createVault(
            CreateVaultRequest.newBuilder()
                .setParent(parent())
                .setVaultId(id)
                .setVault(vault)
                .build());
  }

  AccessConfiguration configuration() {
    return AccessConfigurationServiceGrpc.newBlockingStub(admin)
        .getAccessConfiguration(
            GetAccessConfigurationRequest.newBuilder().setParent(parent()).build());
  }

  ReplaceAccessConfigurationResponse replace(AccessConfiguration.Builder configuration) {
    return replace(ReplaceAccessConfigurationRequest.newBuilder().setConfiguration(configuration));
  }

  ReplaceAccessConfigurationResponse replace(ReplaceAccessConfigurationRequest.Builder request) {
    return AccessConfigurationServiceGrpc.newBlockingStub(admin)
        .replaceAccessConfiguration(request.setParent(parent()).build());
  }

  /// The seed's example: R&D and DevOps, each with a reservation of 5 and a limit of 9.
  AccessConfiguration.Builder twoTeams() {
    return AccessConfiguration.newBuilder()
        .addGroups(
            Group.newBuilder()
                .setName(parent() + "/groups/rnd")
                .addUsers("ada")
                .addUsers("grace")
                .addServiceAccounts("nightly"))
        .addGroups(Group.newBuilder().setName(parent() + "/groups/devops").addUsers("linus"))
        .addPolicies(team("rnd"))
        .addPolicies(team("devops"))
        .addQueues(
            Queue.newBuilder()
                .setName(parent() + "/queues/rnd-3")
                .setPolicy("rnd")
                .setProfile("three"))
        .addQueues(
            Queue.newBuilder()
                .setName(parent() + "/queues/devops-3")
                .setPolicy("devops")
                .setProfile("three")
                .setRank(2));
  }

  private Policy.Builder team(String team) {
    return Policy.newBuilder()
        .setName(parent() + "/policies/" + team)
        .setGroup(team)
        .setReservation("5")
        .setLimit("9");
  }
}
