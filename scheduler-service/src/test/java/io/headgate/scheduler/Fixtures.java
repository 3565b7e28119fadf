package io.headgate.scheduler;

import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.Group;
import io.headgate.proto.policy.v1.Policy;
import io.headgate.proto.policy.v1.Queue;
import io.headgate.proto.pool.v1.Device;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.pool.v1.Profile;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.scheduler.v1.JobSpec;
import io.headgate.proto.scheduler.v1.SubmitJobRequest;
import io.headgate.proto.type.v1.DeviceGeometry;
import java.util.List;

/// Small builders with defaults; a test names only what matters to it.
final class Fixtures {
  static final String ACME = "tenants/acme";

  private Fixtures() {}

  static Pool pool(String id) {
    return Pool.newBuilder().setName(ACME + "/pools/" + id).setType(Pool.Type.TYPE_STATIC).build();
  }

  static Profile profile(String id, String gpus, String... pools) {
    return Profile.newBuilder()
        .setName(ACME + "/profiles/" + id)
        .setGpus(gpus)
        .setWorkers(1)
        .addAllPools(List.of(pools))
        .build();
  }

  static ResourceConfiguration resources(List<Pool> pools, List<Profile> profiles) {
    return ResourceConfiguration.newBuilder()
        .setTenant("acme")
        .setVersion(1)
        .addAllPools(pools)
        .addAllProfiles(profiles)
        .build();
  }

  static Node node(String id, String pool, int gpus) {
    Node.Builder node =
        Node.newBuilder()
            .setName(ACME + "/nodes/" + id)
            .setPool(pool)
            .setCpuMillis(64_000)
            .setMemoryBytes(256L << 30)
            .setSimulated(true)
            .setState(Node.State.STATE_ACTIVE);
    for (int i = 0; i < gpus; i++) {
      node.addDevices(
          Device.newBuilder()
              .setIndex(i)
              .setUuid("SIM-" + id + "-" + i)
              .setGpuModel("H100")
              .setMemoryBytes(80L << 30)
              .setGeometry(DeviceGeometry.DEVICE_GEOMETRY_CONTINUOUS));
    }
    return node.build();
  }

  static Group group(String id, String... users) {
    return Group.newBuilder().setName(ACME + "/groups/" + id).addAllUsers(List.of(users)).build();
  }

  static Policy policy(String id, String group, String reservation, String limit) {
    return Policy.newBuilder()
        .setName(ACME + "/policies/" + id)
        .setGroup(group)
        .setReservation(reservation)
        .setLimit(limit)
        .setWeight(1)
        .build();
  }

  static Queue queue(String id, String policy, String profile, int rank) {
    return Queue.newBuilder()
        .setName(ACME + "/queues/" + id)
        .setPolicy(policy)
        .setProfile(profile)
        .setRank(rank)
        .build();
  }

  static AccessConfiguration access(List<Group> groups, List<Policy> policies, List<Queue> queues) {
    return AccessConfiguration.newBuilder()
        .setTenant("acme")
        .setVersion(1)
        .addAllGroups(groups)
        .addAllPolicies(policies)
        .addAllQueues(queues)
        .build();
  }

  static JobSpec spec(String queue) {
    return JobSpec.newBuilder().setQueue(queue).addCommand("/bin/true").build();
  }

  static SubmitJobRequest submit(String queue) {
    return SubmitJobRequest.newBuilder().setParent(ACME).setSpec(spec(queue)).build();
  }

  static SubmitJobRequest submit(String queue, String id) {
    return submit(queue).toBuilder().setJobId(id).build();
  }

  /// The first worked example's tenant: 10 GPUs on one node; R&D and DevOps each reservation 5,
  /// limit 9; profiles of three, two and one GPU.
  static void seedExample(Neighbours neighbours) {
    seedExample(neighbours, List.of());
  }

  /// The example with service accounts in R&D.
  static void seedExample(Neighbours neighbours, List<String> accounts) {
    neighbours.provision(
        resources(
            List.of(pool("onprem")),
            List.of(
                profile("three", "3", "onprem"),
                profile("two", "2", "onprem"),
                profile("one", "1", "onprem"))));
    neighbours.grant(
        access(
            List.of(
                group("rnd", "alice").toBuilder().addAllServiceAccounts(accounts).build(),
                group("devops", "eve")),
            List.of(policy("rnd", "rnd", "5", "9"), policy("devops", "devops", "5", "9")),
            List.of(
                queue("rnd-3", "rnd", "three", 1),
                queue("rnd-1", "rnd", "one", 1),
                queue("devops-3", "devops", "three", 1),
                queue("devops-2", "devops", "two", 1))));
    neighbours.register(node("a-0", "onprem", 10));
  }
}
