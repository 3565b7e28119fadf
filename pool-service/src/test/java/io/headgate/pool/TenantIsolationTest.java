package io.headgate.pool;

import static io.headgate.pool.Client.configuration;
import static io.headgate.pool.Client.node;
import static io.headgate.pool.Client.pool;
import static io.headgate.pool.Client.profile;
import static io.headgate.pool.Client.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.testing.AccessMatrix;
import io.headgate.kit.testing.ApiServerExtension;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.pool.v1.ApproveNodeRequest;
import io.headgate.proto.pool.v1.CreatePoolRequest;
import io.headgate.proto.pool.v1.CreateProfileRequest;
import io.headgate.proto.pool.v1.DeleteNodeRequest;
import io.headgate.proto.pool.v1.DeletePoolRequest;
import io.headgate.proto.pool.v1.DeleteProfileRequest;
import io.headgate.proto.pool.v1.DiscardDraftRequest;
import io.headgate.proto.pool.v1.DrainNodeRequest;
import io.headgate.proto.pool.v1.GetDraftRequest;
import io.headgate.proto.pool.v1.GetNodeRequest;
import io.headgate.proto.pool.v1.GetPoolRequest;
import io.headgate.proto.pool.v1.GetProfileRequest;
import io.headgate.proto.pool.v1.GetResourceConfigurationRequest;
import io.headgate.proto.pool.v1.LabelNodeRequest;
import io.headgate.proto.pool.v1.ListNodesRequest;
import io.headgate.proto.pool.v1.ListPoolsRequest;
import io.headgate.proto.pool.v1.ListPreparedChangesRequest;
import io.headgate.proto.pool.v1.ListProfilesRequest;
import io.headgate.proto.pool.v1.ListResourceConfigurationVersionsRequest;
import io.headgate.proto.pool.v1.MoveNodeRequest;
import io.headgate.proto.pool.v1.PrepareChangeRequest;
import io.headgate.proto.pool.v1.RegisterNodeRequest;
import io.headgate.proto.pool.v1.UndrainNodeRequest;
import io.headgate.proto.pool.v1.UpdatePoolRequest;
import io.headgate.proto.pool.v1.UpdateProfileRequest;
import io.headgate.proto.pool.v1.VerifyAuditLogRequest;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

class TenantIsolationTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("pool");

  @Order(2)
  @RegisterExtension
  static final PoolFixture POOL = PoolFixture.on(POSTGRES);

  @Order(3)
  @RegisterExtension
  static final ApiServerExtension SERVER = new ApiServerExtension(POOL::register);

  private final String theirs = Client.newTenant();
  private final Client us = new Client(SERVER.channel(SERVER.tokens().admin(Client.newTenant())));

  @TestFactory
  Stream<DynamicTest> everyMethodIsForTheRolesThatItStatesOnly() {
    return AccessMatrix.tests(SERVER);
  }

  private record Attempt(String name, Consumer<String> onTenant) {
    @Override
    public String toString() {
      return name;
    }
  }

  /// Every unary method of a tenant's administrator, on a tenant that is not theirs.
  private List<Attempt> attempts() {
    return List.of(
        attempt(
            "ListPools",
            parent -> us.pools.listPools(ListPoolsRequest.newBuilder().setParent(parent).build())),
        attempt(
            "GetPool",
            parent ->
                us.pools.getPool(
                    GetPoolRequest.newBuilder().setName(parent + "/pools/onprem").build())),
        attempt(
            "CreatePool",
            parent ->
                us.pools.createPool(
                    CreatePoolRequest.newBuilder()
                        .setParent(parent)
                        .setPoolId("x")
                        .setPool(pool("x", "x"))
                        .build())),
        attempt(
            "UpdatePool",
            parent ->
                us.pools.updatePool(
                    UpdatePoolRequest.newBuilder()
                        .setPool(pool("x", "x").setName(parent + "/pools/onprem"))
                        .build())),
        attempt(
            "DeletePool",
            parent ->
                us.pools.deletePool(
                    DeletePoolRequest.newBuilder().setName(parent + "/pools/onprem").build())),
        attempt(
            "ListProfiles",
            parent ->
                us.profiles.listProfiles(
                    ListProfilesRequest.newBuilder().setParent(parent).build())),
        attempt(
            "GetProfile",
            parent ->
                us.profiles.getProfile(
                    GetProfileRequest.newBuilder().setName(parent + "/profiles/half").build())),
        attempt(
            "CreateProfile",
            parent ->
                us.profiles.createProfile(
                    CreateProfileRequest.newBuilder()
                        .setParent(parent)
                        .setProfileId("x")
                        .setProfile(profile("x", "x", "1"))
                        .build())),
        attempt(
            "UpdateProfile",
            parent ->
                us.profiles.updateProfile(
                    UpdateProfileRequest.newBuilder()
                        .setProfile(profile("x", "x", "1").setName(parent + "/profiles/half"))
                        .build())),
        attempt(
            "DeleteProfile",
            parent ->
                us.profiles.deleteProfile(
                    DeleteProfileRequest.newBuilder().setName(parent + "/profiles/half").build())),
        attempt(
            "GetResourceConfiguration",
            parent ->
                us.configurations.getResourceConfiguration(
                    GetResourceConfigurationRequest.newBuilder().setParent(parent).build())),
        attempt(
            "GetDraft",
            parent ->
                us.configurations.getDraft(GetDraftRequest.newBuilder().setParent(parent).build())),
        attempt(
            "ReplaceDraft",
            parent ->
                us.replaceDraft(
                    parent.substring("tenants/".length()), configuration(List.of(), List.of()))),
        attempt(
            "DiscardDraft",
            parent ->
                us.configurations.discardDraft(
                    DiscardDraftRequest.newBuilder().setParent(parent).build())),
        attempt("ProvisionDraft", parent -> us.provision(parent.substring("tenants/".length()))),
        attempt(
            "PrepareChange",
            parent ->
                us.configurations.prepareChange(
                    PrepareChangeRequest.newBuilder().setParent(parent).setChangeId("c").build())),
        attempt(
            "ListPreparedChanges",
            parent ->
                us.configurations.listPreparedChanges(
                    ListPreparedChangesRequest.newBuilder().setParent(parent).build())),
        attempt(
            "ListResourceConfigurationVersions",
            parent ->
                us.configurations.listResourceConfigurationVersions(
                    ListResourceConfigurationVersionsRequest.newBuilder()
                        .setParent(parent)
                        .build())),
        attempt(
            "ListNodes",
            parent -> us.nodes.listNodes(ListNodesRequest.newBuilder().setParent(parent).build())),
        attempt(
            "GetNode",
            parent ->
                us.nodes.getNode(
                    GetNodeRequest.newBuilder().setName(parent + "/nodes/gpu-1").build())),
        attempt(
            "DrainNode",
            parent ->
                us.nodes.drainNode(
                    DrainNodeRequest.newBuilder().setName(parent + "/nodes/gpu-1").build())),
        attempt(
            "UndrainNode",
            parent ->
                us.nodes.undrainNode(
                    UndrainNodeRequest.newBuilder().setName(parent + "/nodes/gpu-1").build())),
        attempt(
            "ApproveNode",
            parent ->
                us.nodes.approveNode(
                    ApproveNodeRequest.newBuilder().setName(parent + "/nodes/gpu-1").build())),
        attempt(
            "MoveNode",
            parent ->
                us.nodes.moveNode(
                    MoveNodeRequest.newBuilder()
                        .setName(parent + "/nodes/gpu-1")
                        .setPool("onprem")
                        .build())),
        attempt(
            "LabelNode",
            parent ->
                us.nodes.labelNode(
                    LabelNodeRequest.newBuilder().setName(parent + "/nodes/gpu-1").build())),
        attempt(
            "VerifyAuditLog",
            parent ->
                us.audit.verifyAuditLog(
                    VerifyAuditLogRequest.newBuilder().setParent(parent).build())),
        attempt(
            "DeleteNode",
            parent ->
                us.nodes.deleteNode(
                    DeleteNodeRequest.newBuilder().setName(parent + "/nodes/gpu-1").build())));
  }

  @TestFactory
  Stream<DynamicTest> aForeignTenantIsRefusedExactlyAsAnAbsentOne() {
    fill(theirs);
    String absent = "absent-" + theirs;
    return attempts().stream()
        .map(attempt ->
            DynamicTest.dynamicTest(
                attempt.name(),
                () -> {
                  Refusal foreign = refused(() -> attempt.onTenant().accept("tenants/" + theirs));
                  assertThat(foreign.code()).isEqualTo(Status.Code.NOT_FOUND);
                  assertThat(foreign.reason()).isEqualTo("TENANT_NOT_FOUND");
                  Refusal nothing = refused(() -> attempt.onTenant().accept("tenants/" + absent));
                  assertThat(foreign.toString().replace(theirs, absent))
                      .isEqualTo(nothing.toString());
                }));
  }

  @Test
  void everyMethodOfATenantIsAmongTheAttempts() {
    List<String> tested = attempts().stream().map(Attempt::name).toList();
    List<String> served =
        SERVER.server().services().stream()
            .flatMap(service -> service.getMethods().stream())
            .map(method -> method.getMethodDescriptor().getBareMethodName())
            .filter(
                method -> !List.of("WatchCatalog", "RegisterNode", "SettleChange").contains(method))
            .toList();
    assertThat(tested).containsExactlyInAnyOrderElementsOf(served);
  }

  @Test
  void whatAnotherTenantHasChangesNoAnswer() {
    String tenant = Client.newTenant();
    Client admin = new Client(SERVER.channel(SERVER.tokens().admin(tenant)));
    fill(tenant);
    String before = everything(admin, tenant);
    fill(Client.newTenant());
    assertThat(everything(admin, tenant)).isEqualTo(before);
  }

  @Test
  void anOperatorAndAServiceReadEveryTenant() {
    fill(theirs);
    for (String token : List.of(SERVER.tokens().operator(), SERVER.tokens().service("scheduler"))) {
      assertThat(everything(new Client(SERVER.channel(token)), theirs)).contains("onprem");
    }
  }

  private static void fill(String tenant) {
    new Client(SERVER.channel(SERVER.tokens().admin(tenant)))
        .apply(
            tenant,
            configuration(
                List.of(pool(tenant, "onprem").build()),
                List.of(profile(tenant, "half", "1/2", "onprem").build())));
    new Client(SERVER.channel(SERVER.tokens().node(tenant, "gpu-1", Map.of("pool", "onprem"))))
        .nodes.registerNode(
            RegisterNodeRequest.newBuilder().setNode(node(tenant, "gpu-1", 1)).build());
  }

  private static String everything(Client client, String tenant) {
    String parent = "tenants/" + tenant;
    return client.pools.listPools(ListPoolsRequest.newBuilder().setParent(parent).build())
        + client
            .profiles
            .listProfiles(ListProfilesRequest.newBuilder().setParent(parent).build())
            .toString()
        + client.nodes.listNodes(ListNodesRequest.newBuilder().setParent(parent).build())
        + client.configurations.getResourceConfiguration(
            GetResourceConfigurationRequest.newBuilder().setParent(parent).build())
        + client.configurations.getDraft(GetDraftRequest.newBuilder().setParent(parent).build());
  }

  private static Attempt attempt(String name, Consumer<String> onTenant) {
    return new Attempt(name, onTenant);
  }
}
