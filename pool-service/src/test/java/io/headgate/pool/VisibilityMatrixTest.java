package io.headgate.pool;

import static io.headgate.pool.Client.configuration;
import static io.headgate.pool.Client.node;
import static io.headgate.pool.Client.pool;
import static io.headgate.pool.Client.profile;
import static io.headgate.pool.Client.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.kit.auth.Principal;
import io.headgate.kit.auth.Role;
import io.headgate.kit.testing.ApiServerExtension;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.ScopeMatrix;
import io.headgate.proto.pool.v1.Dedication;
import io.headgate.proto.pool.v1.Elasticity;
import io.headgate.proto.pool.v1.GetDraftRequest;
import io.headgate.proto.pool.v1.GetNodeRequest;
import io.headgate.proto.pool.v1.GetPoolRequest;
import io.headgate.proto.pool.v1.GetProfileRequest;
import io.headgate.proto.pool.v1.GetResourceConfigurationRequest;
import io.headgate.proto.pool.v1.Instance;
import io.headgate.proto.pool.v1.ListNodesRequest;
import io.headgate.proto.pool.v1.ListPoolsRequest;
import io.headgate.proto.pool.v1.ListProfilesRequest;
import io.headgate.proto.pool.v1.NodeServiceGrpc;
import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.pool.v1.PoolServiceGrpc;
import io.headgate.proto.pool.v1.Profile;
import io.headgate.proto.pool.v1.ProfileServiceGrpc;
import io.headgate.proto.pool.v1.RegisterNodeRequest;
import io.headgate.proto.pool.v1.ResourceConfigurationServiceGrpc;
import io.headgate.proto.pool.v1.View;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The visible hardware of each caller, by every RPC. Pools, profiles and nodes belong to no group:
/// members see capacity, and admins see what it is for.
final class VisibilityMatrixTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("pool");

  @Order(2)
  @RegisterExtension
  static final PoolFixture POOL = PoolFixture.on(POSTGRES);

  @Order(3)
  @RegisterExtension
  static final ApiServerExtension SERVER = new ApiServerExtension(POOL::register);

  private static final String TENANT = Client.newTenant();
  private static final String PARENT = "tenants/" + TENANT;
  private static Map<Caller, Client> clients;

  private enum Caller {
    MEMBER,
    SERVICE_ACCOUNT,
    MEMBER_OF_AN_OPEN_TENANT,
    ADMIN,
    OPERATOR,
    FOREIGN_ADMIN;

    boolean seesAll() {
      return this == MEMBER_OF_AN_OPEN_TENANT || this == ADMIN || this == OPERATOR;
    }
  }

  @BeforeAll
  static void provision() {
    clients = new EnumMap<>(Caller.class);
    for (Caller caller : Caller.values()) {
      clients.put(caller, new Client(SERVER.channel(token(caller))));
    }
    clients
        .get(Caller.ADMIN)
        .apply(
            TENANT,
            configuration(
                List.of(
                    pool(TENANT, "onprem")
                        .setCapacity("16")
                        .addProfileOrder("one")
                        .setDedicatedTo(Dedication.newBuilder().setGroup("secret-project"))
                        .build(),
                    pool(TENANT, "cloud")
                        .setType(Pool.Type.TYPE_ELASTIC)
                        .setElasticity(
                            Elasticity.newBuilder()
                                .setProvider("exec")
                                .putSettings("token", "hunter2")
                                .setInstance(
                                    Instance.newBuilder()
                                        .setGpus(8)
                                        .setGpuModel("A100")
                                        .setGpuMemoryBytes(80L << 30))
                                .setMaxInstances(2))
                        .build()),
                List.of(profile(TENANT, "one", "1", "onprem", "cloud").build())));
    new Client(SERVER.channel(SERVER.tokens().node(TENANT, "gpu-1", Map.of("pool", "onprem"))))
        .nodes.registerNode(
            RegisterNodeRequest.newBuilder().setNode(node(TENANT, "gpu-1", 2)).build());
  }

  private static String token(Caller caller) {
    return switch (caller) {
      case MEMBER -> SERVER.tokens().member(TENANT, "ada");
      case SERVICE_ACCOUNT -> SERVER.tokens().serviceAccount(TENANT, "ci");
      case MEMBER_OF_AN_OPEN_TENANT ->
          SERVER
              .tokens()
              .token(
                  new Principal(
                      PARENT + "/users/alan",
                      Role.MEMBER,
                      TENANT,
                      null,
                      List.of(),
                      Map.of("visibility", "tenant")));
      case ADMIN -> SERVER.tokens().admin(TENANT);
      case OPERATOR -> SERVER.tokens().operator();
      case FOREIGN_ADMIN -> SERVER.tokens().admin(Client.newTenant());
    };
  }

  @TestFactory
  Stream<DynamicTest> membersSeeCapacityAndAdminsSeeWhatItIsFor() {
    return new ScopeMatrix()
        .with(PoolServiceGrpc.getListPoolsMethod(), VisibilityMatrixTest::listsPools)
        .with(
            PoolServiceGrpc.getGetPoolMethod(),
            () ->
                each(
                    client ->
                        client.pools.getPool(
                            GetPoolRequest.newBuilder().setName(PARENT + "/pools/cloud").build()),
                    VisibilityMatrixTest::check))
        .with(ProfileServiceGrpc.getListProfilesMethod(), VisibilityMatrixTest::listsProfiles)
        .with(
            ProfileServiceGrpc.getGetProfileMethod(),
            () ->
                each(
                    client ->
                        client.profiles.getProfile(
                            GetProfileRequest.newBuilder()
                                .setName(PARENT + "/profiles/one")
                                .build()),
                    VisibilityMatrixTest::check))
        .with(
            NodeServiceGrpc.getListNodesMethod(),
            () ->
                each(
                    client ->
                        client
                            .nodes
                            .listNodes(ListNodesRequest.newBuilder().setParent(PARENT).build())
                            .getNodesCount(),
                    (_, count) -> assertThat(count).isEqualTo(1)))
        .with(
            NodeServiceGrpc.getGetNodeMethod(),
            () ->
                each(
                    client ->
                        client
                            .nodes
                            .getNode(
                                GetNodeRequest.newBuilder()
                                    .setName(PARENT + "/nodes/gpu-1")
                                    .build())
                            .getDevicesCount(),
                    (_, count) -> assertThat(count).isEqualTo(2)))
        .with(
            ResourceConfigurationServiceGrpc.getGetResourceConfigurationMethod(),
            () ->
                ofAdmins(client ->
                    client.configurations.getResourceConfiguration(
                        GetResourceConfigurationRequest.newBuilder().setParent(PARENT).build())))
        .with(
            ResourceConfigurationServiceGrpc.getGetDraftMethod(),
            () ->
                ofAdmins(client ->
                    client.configurations.getDraft(
                        GetDraftRequest.newBuilder().setParent(PARENT).build())))
        .tests(SERVER.server().services());
  }

  private interface Call<T> {
    T of(Client client);
  }

  private interface Check<T> {
    void of(Caller caller, T seen);
  }

  private static <T> void each(Call<T> call, Check<T> check) {
    clients.forEach((caller, client) -> {
      if (caller == Caller.FOREIGN_ADMIN) {
        assertThat(refused(() -> call.of(client)).reason()).isEqualTo("TENANT_NOT_FOUND");
      } else {
        check.of(caller, call.of(client));
      }
    });
  }

  private static void ofAdmins(Call<Object> call) {
    clients.forEach((caller, client) -> {
      if (caller.seesAll()) {
        assertThat(call.of(client)).as("%s", caller).isNotNull();
      } else {
        assertThat(refused(() -> call.of(client)).reason())
            .as("%s", caller)
            .isEqualTo(caller == Caller.FOREIGN_ADMIN ? "TENANT_NOT_FOUND" : "ADMINS_ONLY");
      }
    });
  }

  private static void check(Caller caller, Pool pool) {
    assertThat(pool.getElasticity().getInstance().getGpus()).as("%s", caller).isEqualTo(8);
    assertThat(pool.getElasticity().getSettingsMap().containsKey("token"))
        .as("%s", caller)
        .isEqualTo(caller.seesAll());
  }

  private static void check(Caller caller, Profile profile) {
    assertThat(profile.getGpus()).as("%s", caller).isEqualTo("1");
    assertThat(profile.getPoolsCount()).as("%s", caller).isEqualTo(caller.seesAll() ? 2 : 0);
  }

  private static void listsPools() {
    ListPoolsRequest request = ListPoolsRequest.newBuilder().setParent(PARENT).build();
    each(
        client -> client.pools.listPools(request).getPoolsList(),
        (caller, pools) -> {
          assertThat(pools).as("%s", caller).hasSize(2);
          check(caller, pools.getFirst());
          Pool dedicated = pools.getLast();
          assertThat(dedicated.getCapacity()).isEqualTo("16");
          assertThat(dedicated.hasDedicatedTo()).as("%s", caller).isEqualTo(caller.seesAll());
          assertThat(dedicated.getProfileOrderCount() > 0)
              .as("%s", caller)
              .isEqualTo(caller.seesAll());
        });
    ofAdmins(
        client -> client.pools.listPools(request.toBuilder().setView(View.VIEW_DRAFT).build()));
  }

  private static void listsProfiles() {
    ListProfilesRequest request = ListProfilesRequest.newBuilder().setParent(PARENT).build();
    each(
        client -> client.profiles.listProfiles(request).getProfilesList(),
        (caller, profiles) -> check(caller, profiles.getFirst()));
    ofAdmins(client ->
        client.profiles.listProfiles(request.toBuilder().setView(View.VIEW_DRAFT).build()));
  }
}
