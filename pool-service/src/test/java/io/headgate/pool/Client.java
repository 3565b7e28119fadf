package io.headgate.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.grpc.Channel;
import io.headgate.kit.failure.GrpcFailures;
import io.headgate.kit.failure.Refusal;
import io.headgate.proto.pool.v1.AuditServiceGrpc;
import io.headgate.proto.pool.v1.Node;
import io.headgate.proto.pool.v1.NodeServiceGrpc;
import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.pool.v1.PoolServiceGrpc;
import io.headgate.proto.pool.v1.Profile;
import io.headgate.proto.pool.v1.ProfileServiceGrpc;
import io.headgate.proto.pool.v1.ProvisionDraftRequest;
import io.headgate.proto.pool.v1.ReplaceDraftRequest;
import io.headgate.proto.pool.v1.ReplaceDraftResponse;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.pool.v1.ResourceConfigurationServiceGrpc;
import io.headgate.proto.type.v1.DeviceGeometry;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/// A caller of the service, and builders whose defaults are good: a test names only what matters to
/// it.
final class Client {
  final PoolServiceGrpc.PoolServiceBlockingStub pools;
  final ProfileServiceGrpc.ProfileServiceBlockingStub profiles;
  final ResourceConfigurationServiceGrpc.ResourceConfigurationServiceBlockingStub configurations;
  final ResourceConfigurationServiceGrpc.ResourceConfigurationServiceBlockingV2Stub watches;
  final NodeServiceGrpc.NodeServiceBlockingStub nodes;
  final AuditServiceGrpc.AuditServiceBlockingStub audit;

  private static final AtomicInteger TENANTS = new AtomicInteger();

  Client(Channel channel) {
    this.pools = PoolServiceGrpc.newBlockingStub(channel);
    this.profiles = ProfileServiceGrpc.newBlockingStub(channel);
    this.configurations = ResourceConfigurationServiceGrpc.newBlockingStub(channel);
    this.watches = ResourceConfigurationServiceGrpc.newBlockingV2Stub(channel);
    this.nodes = NodeServiceGrpc.newBlockingStub(channel);
    this.audit = AuditServiceGrpc.newBlockingStub(channel);
  }

  /// The id of a tenant that no other test uses.
  static String newTenant() {
    return "tenant-" + TENANTS.incrementAndGet();
  }

  ReplaceDraftResponse replaceDraft(String tenant, ResourceConfiguration configuration) {
    return configurations.replaceDraft(
        ReplaceDraftRequest.newBuilder()
            .setParent("tenants/" + tenant)
            .setConfiguration(configuration)
            .build());
  }

  ResourceConfiguration provision(String tenant) {
    return configurations.provisionDraft(
        ProvisionDraftRequest.newBuilder().setParent("tenants/" + tenant).build());
  }

  ResourceConfiguration apply(String tenant, ResourceConfiguration configuration) {
    replaceDraft(tenant, configuration);
    return provision(tenant);
  }

  static ResourceConfiguration configuration(List<Pool> pools, List<Profile> profiles) {
    return ResourceConfiguration.newBuilder().addAllPools(pools).addAllProfiles(profiles).build();
  }

  static Pool.Builder pool(String tenant, String id) {
    return Pool.newBuilder().setName("tenants/" + tenant + "/pools/" + id);
  }

  static Profile.Builder profile(String tenant, String id, String gpus, String... pools) {
    return Profile.newBuilder()
        .setName("tenants/" + tenant + "/profiles/" + id)
        .setGpus(gpus)
        .addAllPools(List.of(pools));
  }

  static Node.Builder node(String tenant, String id, int devices) {
    Node.Builder node =
        Node.newBuilder()
            .setName("tenants/" + tenant + "/nodes/" + id)
            .setCpuMillis(64_000)
            .setMemoryBytes(512L << 30)
            .setSimulated(true)
            .setDriver("simulated")
            .setAgentVersion("0.1.0")
            .setHostname(id + ".example");
    for (int i = 0; i < devices; i++) {
      node.addDevicesBuilder()
          .setIndex(i)
          .setUuid("SIM-" + id + "-" + i)
          .setGpuModel("H100")
          .setMemoryBytes(80L << 30)
          .setGeometry(DeviceGeometry.DEVICE_GEOMETRY_CONTINUOUS);
    }
    return node;
  }

  /// How `call` was refused.
  static Refusal refused(Runnable call) {
    Throwable failure = catchThrowable(call::run);
    assertThat(failure).as("was not refused").isNotNull();
    return GrpcFailures.refusal(failure)
        .orElseThrow(() -> new AssertionError("not a refusal", failure));
  }
}
