package io.headgate.sdk.wire;

import io.headgate.proto.policy.v1.Department;
import io.headgate.proto.policy.v1.ListDepartmentsRequest;
import io.headgate.proto.policy.v1.ListPoliciesRequest;
import io.headgate.proto.policy.v1.ListPoliciesResponse;
import io.headgate.proto.policy.v1.ListQueuesRequest;
import io.headgate.proto.policy.v1.ListQueuesResponse;
import io.headgate.proto.policy.v1.ListVaultsRequest;
import io.headgate.proto.policy.v1.ListVaultsResponse;
import io.headgate.proto.policy.v1.Policy;
import io.headgate.proto.policy.v1.PolicyServiceGrpc;
import io.headgate.proto.policy.v1.Queue;
import io.headgate.proto.policy.v1.QueueServiceGrpc;
import io.headgate.proto.policy.v1.Vault;
import io.headgate.proto.policy.v1.VaultServiceGrpc;
import io.headgate.proto.pool.v1.ApproveNodeRequest;
import io.headgate.proto.pool.v1.DeleteNodeRequest;
import io.headgate.proto.pool.v1.DrainNodeRequest;
import io.headgate.proto.pool.v1.GetNodeRequest;
import io.headgate.proto.pool.v1.GetProfileRequest;
import io.headgate.proto.pool.v1.LabelNodeRequest;
import io.headgate.proto.pool.v1.ListNodesRequest;
import io.headgate.proto.pool.v1.ListNodesResponse;
import io.headgate.proto.pool.v1.ListPoolsRequest;
import io.headgate.proto.pool.v1.ListPoolsResponse;
import io.headgate.proto.pool.v1.ListProfilesRequest;
import io.headgate.proto.pool.v1.ListProfilesResponse;
import io.headgate.proto.pool.v1.MoveNodeRequest;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.pool.v1.NodeServiceGrpc;
import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.pool.v1.PoolServiceGrpc;
import io.headgate.proto.pool.v1.Profile;
import io.headgate.proto.pool.v1.ProfileServiceGrpc;
import io.headgate.proto.pool.v1.UndrainNodeRequest;
import io.headgate.proto.scheduler.v1.GetLeadershipRequest;
import io.headgate.proto.scheduler.v1.GetLeadershipResponse;
import io.headgate.proto.scheduler.v1.ListNodeUsagesRequest;
import io.headgate.proto.scheduler.v1.ListPolicyUsagesRequest;
import io.headgate.proto.scheduler.v1.ListPoolUsagesRequest;
import io.headgate.proto.scheduler.v1.ListQueueUsagesRequest;
import io.headgate.proto.scheduler.v1.NodeUsage;
import io.headgate.proto.scheduler.v1.PolicyUsage;
import io.headgate.proto.scheduler.v1.PoolUsage;
import io.headgate.proto.scheduler.v1.QueueUsage;
import io.headgate.proto.scheduler.v1.UsageServiceGrpc;
import io.headgate.sdk.wire.Paging.Fetched;
import java.util.List;
import java.util.Map;

/// Calls on a tenant's objects and their use, in messages. Lists are complete.
public final class CatalogCalls {
  private final Connection connection;
  private final String parent;

  public CatalogCalls(Connection connection, String tenant) {
    this.connection = connection;
    this.parent = ResourceNames.tenant(tenant);
  }

  public List<Pool> pools() {
    return Paging.collect(
            0,
            (size, token) -> {
              ListPoolsRequest request =
                  ListPoolsRequest.newBuilder()
                      .setParent(parent)
                      .setPageSize(size)
                      .setPageToken(token)
                      .build();
              ListPoolsResponse page =
                  connection.call(
                      PoolServiceGrpc.getListPoolsMethod(), request, Idempotency.IDEMPOTENT);
              return new Fetched<>(page.getPoolsList(), page.getNextPageToken());
            })
        .items();
  }

  public List<Profile> profiles() {
    return Paging.collect(
            0,
            (size, token) -> {
              ListProfilesRequest request =
                  ListProfilesRequest.newBuilder()
                      .setParent(parent)
                      .setPageSize(size)
                      .setPageToken(token)
                      .build();
              ListProfilesResponse page =
                  connection.call(
                      ProfileServiceGrpc.getListProfilesMethod(), request, Idempotency.IDEMPOTENT);
              return new Fetched<>(page.getProfilesList(), page.getNextPageToken());
            })
        .items();
  }

  public Profile profile(String id) {
    return connection.call(
        ProfileServiceGrpc.getGetProfileMethod(),
        GetProfileRequest.newBuilder().setName(parent + "/profiles/" + id).build(),
        Idempotency.IDEMPOTENT);
  }

  public List<Node> nodes() {
    return nodes(0);
  }

  /// The first nodes.
  ///
  /// @param most 0: all
  public List<Node> nodes(int most) {
    return Paging.collect(
            most,
            (size, token) -> {
              ListNodesRequest request =
                  ListNodesRequest.newBuilder()
                      .setParent(parent)
                      .setPageSize(size)
                      .setPageToken(token)
                      .build();
              ListNodesResponse page =
                  connection.call(
                      NodeServiceGrpc.getListNodesMethod(), request, Idempotency.IDEMPOTENT);
              return new Fetched<>(page.getNodesList(), page.getNextPageToken());
            })
        .items();
  }

  public Node node(String node) {
    return connection.call(
        NodeServiceGrpc.getGetNodeMethod(),
        GetNodeRequest.newBuilder().setName(parent + "/nodes/" + node).build(),
        Idempotency.IDEMPOTENT);
  }

  /// Drains the node: no new work, and running jobs continue.
  public Node drain(String node, String reason) {
    return connection.call(
        NodeServiceGrpc.getDrainNodeMethod(),
        DrainNodeRequest.newBuilder().setName(parent + "/nodes/" + node).setReason(reason).build(),
        Idempotency.IDEMPOTENT);
  }

  /// The node takes work again.
  public Node undrain(String node) {
    return connection.call(
        NodeServiceGrpc.getUndrainNodeMethod(),
        UndrainNodeRequest.newBuilder().setName(parent + "/nodes/" + node).build(),
        Idempotency.IDEMPOTENT);
  }

  /// Believes what the node in quarantine reports.
  public Node approve(String node, String etag) {
    return connection.call(
        NodeServiceGrpc.getApproveNodeMethod(),
        ApproveNodeRequest.newBuilder().setName(parent + "/nodes/" + node).setEtag(etag).build(),
        Idempotency.IDEMPOTENT);
  }

  /// Puts the node into another pool.
  public Node move(String node, String pool) {
    return connection.call(
        NodeServiceGrpc.getMoveNodeMethod(),
        MoveNodeRequest.newBuilder().setName(parent + "/nodes/" + node).setPool(pool).build(),
        Idempotency.IDEMPOTENT);
  }

  /// Refuses what a move would refuse.
  public void checkMove(String node, String pool) {
    var _ =
        connection.call(
            NodeServiceGrpc.getMoveNodeMethod(),
            MoveNodeRequest.newBuilder()
                .setName(parent + "/nodes/" + node)
                .setPool(pool)
                .setValidateOnly(true)
                .build(),
            Idempotency.IDEMPOTENT);
  }

  /// Sets and removes labels of the node.
  public Node label(String node, Map<String, String> set, List<String> removed) {
    return connection.call(
        NodeServiceGrpc.getLabelNodeMethod(),
        LabelNodeRequest.newBuilder()
            .setName(parent + "/nodes/" + node)
            .putAllLabels(set)
            .addAllRemovedKeys(removed)
            .build(),
        Idempotency.IDEMPOTENT);
  }

  /// Removes the node; its jobs are given up once it is certain that they ended.
  public void deleteNode(String node) {
    var _ =
        connection.call(
            NodeServiceGrpc.getDeleteNodeMethod(),
            DeleteNodeRequest.newBuilder().setName(parent + "/nodes/" + node).build(),
            Idempotency.NOT_IDEMPOTENT);
  }

  public List<Policy> policies() {
    return Paging.collect(
            0,
            (size, token) -> {
              ListPoliciesRequest request =
                  ListPoliciesRequest.newBuilder()
                      .setParent(parent)
                      .setPageSize(size)
                      .setPageToken(token)
                      .build();
              ListPoliciesResponse page =
                  connection.call(
                      PolicyServiceGrpc.getListPoliciesMethod(), request, Idempotency.IDEMPOTENT);
              return new Fetched<>(page.getPoliciesList(), page.getNextPageToken());
            })
        .items();
  }

  /// The departments above the policies that the caller sees.
  public List<Department> departments() {
    return connection
        .call(
            PolicyServiceGrpc.getListDepartmentsMethod(),
            ListDepartmentsRequest.newBuilder().setParent(parent).build(),
            Idempotency.IDEMPOTENT)
        .getDepartmentsList();
  }

  public List<Queue> queues() {
    return Paging.collect(
            0,
            (size, token) -> {
              ListQueuesRequest request =
                  ListQueuesRequest.newBuilder()
                      .setParent(parent)
                      .setPageSize(size)
                      .setPageToken(token)
                      .build();
              ListQueuesResponse page =
                  connection.call(
                      QueueServiceGrpc.getListQueuesMethod(), request, Idempotency.IDEMPOTENT);
              return new Fetched<>(page.getQueuesList(), page.getNextPageToken());
            })
        .items();
  }

  public List<Vault> vaults() {
    return Paging.collect(
            0,
            (size, token) -> {
              ListVaultsRequest request =
                  ListVaultsRequest.newBuilder()
                      .setParent(parent)
                      .setPageSize(size)
                      .setPageToken(token)
                      .build();
              ListVaultsResponse page =
                  connection.call(
                      VaultServiceGrpc.getListVaultsMethod(), request, Idempotency.IDEMPOTENT);
              return new Fetched<>(page.getVaultsList(), page.getNextPageToken());
            })
        .items();
  }

  public GetLeadershipResponse leadership() {
    return connection.call(
        UsageServiceGrpc.getGetLeadershipMethod(),
        GetLeadershipRequest.getDefaultInstance(),
        Idempotency.IDEMPOTENT);
  }

  public List<PolicyUsage> policyUsages() {
    return connection
        .call(
            UsageServiceGrpc.getListPolicyUsagesMethod(),
            ListPolicyUsagesRequest.newBuilder().setParent(parent).build(),
            Idempotency.IDEMPOTENT)
        .getUsagesList();
  }

  public List<QueueUsage> queueUsages() {
    return connection
        .call(
            UsageServiceGrpc.getListQueueUsagesMethod(),
            ListQueueUsagesRequest.newBuilder().setParent(parent).build(),
            Idempotency.IDEMPOTENT)
        .getUsagesList();
  }

  public List<PoolUsage> poolUsages() {
    return connection
        .call(
            UsageServiceGrpc.getListPoolUsagesMethod(),
            ListPoolUsagesRequest.newBuilder().setParent(parent).build(),
            Idempotency.IDEMPOTENT)
        .getUsagesList();
  }

  public List<NodeUsage> nodeUsages() {
    return connection
        .call(
            UsageServiceGrpc.getListNodeUsagesMethod(),
            ListNodeUsagesRequest.newBuilder().setParent(parent).build(),
            Idempotency.IDEMPOTENT)
        .getUsagesList();
  }
}
