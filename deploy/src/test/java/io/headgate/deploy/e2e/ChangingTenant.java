package io.headgate.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.AccessConfigurationServiceGrpc;
import io.headgate.proto.policy.v1.GetAccessConfigurationRequest;
import io.headgate.proto.policy.v1.Group;
import io.headgate.proto.policy.v1.Policy;
import io.headgate.proto.policy.v1.Queue;
import io.headgate.proto.policy.v1.ReplaceAccessConfigurationRequest;
import io.headgate.proto.pool.v1.GetResourceConfigurationRequest;
import io.headgate.proto.pool.v1.ListPreparedChangesRequest;
import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.pool.v1.PrepareChangeRequest;
import io.headgate.proto.pool.v1.Profile;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.pool.v1.ResourceConfigurationServiceGrpc;
import io.headgate.proto.scheduler.v1.PlanConfigurationRequest;
import io.headgate.proto.scheduler.v1.PlanServiceGrpc;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// A tenant whose supply and rights change together: version N of both has one profile of N GPUs
/// and a limit of N GPUs.
final class ChangingTenant {
  /// The services, each at an address of its own.
  interface Services {
    /// policy-service, called with this token.
    Channel policy(String token);

    /// pool-service, called with this token.
    Channel pool(String token);

    /// The scheduler, called with this token.
    Channel scheduler(String token);
  }

  private static final Duration SOON = Duration.ofMinutes(2);
  private static final Duration POLL = Duration.ofMillis(500);

  private final Services services;
  private final String tenant;
  private final String token;

  /// Halves of a change by which the scheduler decided.
  private final List<String> halves = new ArrayList<>();

  /// @param token of an operator
  private ChangingTenant(Services services, String tenant, String token) {
    this.services = services;
    this.tenant = tenant;
    this.token = token;
  }

  /// The tenant, which exists, in version 1.
  static ChangingTenant inFirstVersion(Services services, String tenant, String token) {
    ChangingTenant changing = new ChangingTenant(services, tenant, token);
    changing.prepare("first", 0);
    changing.commit("first", 0);
    changing.awaitInForce(1);
    return changing;
  }

  void theNextChangeWorks(int version) {
    prepare("next", version);
    commit("next", version);
    awaitInForce(version + 1);
  }

  /// A change works at last, once an abandoned one no longer holds it up.
  void aLaterChangeWorks(int version) {
    await()
        .atMost(SOON)
        .pollInterval(POLL)
        .ignoreExceptions()
        .untilAsserted(() -> prepare("later", version));
    commit("later", version);
    awaitInForce(version + 1);
  }

  /// The file of a configuration in this version.
  String file(int version) {
    return """
    apiVersion: headgate/v1
    kind: Configuration
    tenant: %s
    groups: [{name: g}]
    pools: [{name: p, type: static}]
    profiles: [{name: f, gpus: %d, pools: [p]}]
    policies: [{name: g, group: g, limit: %d, queues: [{name: q, profile: f}]}]
    """
        .formatted(tenant, version, version);
  }

  /// The change to the version after `base`, in both services.
  void prepare(String change, int base) {
    pools()
        .prepareChange(
            PrepareChangeRequest.newBuilder()
                .setParent(parent())
                .setChangeId(id(change))
                .setBaseVersion(base)
                .setConfiguration(
                    ResourceConfiguration.newBuilder()
                        .addPools(
                            Pool.newBuilder()
                                .setName(parent() + "/pools/p")
                                .setType(Pool.Type.TYPE_STATIC))
                        .addProfiles(
                            Profile.newBuilder()
                                .setName(parent() + "/profiles/f")
                                .setGpus(Integer.toString(base + 1))
                                .setWorkers(1)
                                .addPools("p")))
                .build());
  }

  /// An operator's ids of requests are unique over all tenants.
  private String id(String change) {
    return change + "-" + tenant;
  }

  void commit(String change, int base) {
    AccessConfigurationServiceGrpc.newBlockingStub(services.policy(token))
        .replaceAccessConfiguration(
            ReplaceAccessConfigurationRequest.newBuilder()
                .setParent(parent())
                .setChangeId(id(change))
                .setIfVersion(base)
                .setConfiguration(
                    AccessConfiguration.newBuilder()
                        .addGroups(Group.newBuilder().setName(parent() + "/groups/g"))
                        .addPolicies(
                            Policy.newBuilder()
                                .setName(parent() + "/policies/g")
                                .setGroup("g")
                                .setWeight(1)
                                .setLimit(Integer.toString(base + 1)))
                        .addQueues(
                            Queue.newBuilder()
                                .setName(parent() + "/queues/q")
                                .setPolicy("g")
                                .setProfile("f")
                                .setRank(1)))
                .build());
  }

  /// Waits until nothing is prepared any more.
  ///
  /// @return the version in force
  int awaitSettled() {
    await().atMost(SOON).pollInterval(POLL).ignoreExceptions().until(() -> prepared() == 0);
    return Math.toIntExact(access());
  }

  /// Waits until all three services have both halves in this version, and nothing is prepared.
  void awaitInForce(int version) {
    await()
        .atMost(SOON)
        .pollInterval(POLL)
        .ignoreExceptions()
        .untilAsserted(() -> {
          assertThat(prepared()).isZero();
          assertThat(resources()).isEqualTo(version);
          assertThat(access()).isEqualTo(version);
        });
    awaitScheduler(version);
  }

  void awaitScheduler(int version) {
    await()
        .atMost(SOON)
        .pollInterval(POLL)
        .ignoreExceptions()
        .until(() -> {
          seeHalves(version);
          return decidesBy(version, version);
        });
    neverDecidesByHalves(version);
  }

  /// Remembers a half that is in force now. A refusal of another kind tells nothing, and the poll
  /// repeats it.
  private void seeHalves(int version) {
    for (int older = Math.max(1, version - 1); older <= version; older++) {
      if (decidesBy(older + 1, older)) {
        halves.add("new supply %d and old rights %d".formatted(older + 1, older));
      }
      if (decidesBy(older, older + 1)) {
        halves.add("old supply %d and new rights %d".formatted(older, older + 1));
      }
    }
  }

  /// Fails also for a half that was in force only while the test waited.
  ///
  /// @param version in force, or the one before it or after it
  void neverDecidesByHalves(int version) {
    seeHalves(version);
    assertThat(halves).as("halves of a change that the scheduler decided by").isEmpty();
  }

  /// Whether the scheduler decides by these versions. It asks the other services for news first.
  boolean decidesBy(int resources, int access) {
    try {
      PlanServiceGrpc.newBlockingStub(services.scheduler(token))
          .planConfiguration(
              PlanConfigurationRequest.newBuilder()
                  .setParent(parent())
                  .setIfResourceVersion(resources)
                  .setIfAccessVersion(access)
                  .build());
      return true;
    } catch (StatusRuntimeException e) {
      if (e.getStatus().getCode() == Status.Code.ABORTED) {
        return false;
      }
      throw e;
    }
  }

  int prepared() {
    return pools()
        .listPreparedChanges(ListPreparedChangesRequest.newBuilder().setParent(parent()).build())
        .getChangesCount();
  }

  long resources() {
    return pools()
        .getResourceConfiguration(
            GetResourceConfigurationRequest.newBuilder().setParent(parent()).build())
        .getVersion();
  }

  long access() {
    return AccessConfigurationServiceGrpc.newBlockingStub(services.policy(token))
        .getAccessConfiguration(
            GetAccessConfigurationRequest.newBuilder().setParent(parent()).build())
        .getVersion();
  }

  private ResourceConfigurationServiceGrpc.ResourceConfigurationServiceBlockingStub pools() {
    return ResourceConfigurationServiceGrpc.newBlockingStub(services.pool(token));
  }

  private String parent() {
    return "tenants/" + tenant;
  }
}
