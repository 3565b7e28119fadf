package io.headgate.pool;

import static io.headgate.pool.Client.pool;
import static io.headgate.pool.Client.profile;
import static io.headgate.pool.Client.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import com.google.protobuf.FieldMask;
import io.grpc.Status;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.failure.Refusal.FieldViolation;
import io.headgate.kit.testing.ApiServerExtension;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.pool.v1.CreatePoolRequest;
import io.headgate.proto.pool.v1.CreateProfileRequest;
import io.headgate.proto.pool.v1.Dedication;
import io.headgate.proto.pool.v1.DeletePoolRequest;
import io.headgate.proto.pool.v1.Elasticity;
import io.headgate.proto.pool.v1.Fairness;
import io.headgate.proto.pool.v1.GetPoolRequest;
import io.headgate.proto.pool.v1.GetProfileRequest;
import io.headgate.proto.pool.v1.Instance;
import io.headgate.proto.pool.v1.ListPoolsRequest;
import io.headgate.proto.pool.v1.ListPoolsResponse;
import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.pool.v1.UpdatePoolRequest;
import io.headgate.proto.pool.v1.View;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class PoolEndpointTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("pool");

  @Order(2)
  @RegisterExtension
  static final PoolFixture POOL = PoolFixture.on(POSTGRES);

  @Order(3)
  @RegisterExtension
  static final ApiServerExtension SERVER = new ApiServerExtension(POOL::register);

  private final String tenant = Client.newTenant();
  private final Client admin = new Client(SERVER.channel(SERVER.tokens().admin(tenant)));

  private final Pool full =
      Pool.newBuilder()
          .setType(Pool.Type.TYPE_ELASTIC)
          .setGpuModel("A100")
          .setCapacity("33/2")
          .setMigAuto(true)
          .setDedicatedTo(Dedication.newBuilder().setGroup("research"))
          .setPricePerGpuHour("1.2")
          .setCurrency("USD")
          .setElasticity(
              Elasticity.newBuilder()
                  .setProvider("exec")
                  .putSettings("scaleUp", "./up.sh")
                  .putSettings("scaleDown", "./down.sh")
                  .setInstance(
                      Instance.newBuilder()
                          .setGpus(8)
                          .setGpuModel("A100")
                          .setGpuMemoryBytes(80L << 30)
                          .setCpuMillis(96_000)
                          .setMemoryBytes(1100L << 30))
                  .setMinInstances(1)
                  .setMaxInstances(4)
                  .setIdleTimeout(Duration.newBuilder().setSeconds(60))
                  .setSpot(true))
          .setPromoteAfter(Duration.newBuilder().setSeconds(86_400))
          .setConsolidate(true)
          .setFairness(Fairness.newBuilder().setHalfLife(Duration.newBuilder().setSeconds(604_800)))
          .setDescription("bursts into the cloud;\n'\"; drop table pools -- ✓ 💥")
          .build();

  @Test
  void keepsEveryFieldAsItWasGiven() {
    Pool created = create("cloud", full);
    assertThat(created).isEqualTo(full.toBuilder().setName(name("cloud")).build());
    assertThat(get("cloud", View.VIEW_DRAFT)).isEqualTo(created);
  }

  @Test
  void anEditIsInForceOnlyAfterItIsProvisioned() {
    create("onprem", Pool.getDefaultInstance());
    Refusal refusal = refused(() -> get("onprem", View.VIEW_PROVISIONED));
    assertThat(refusal.code()).isEqualTo(Status.Code.NOT_FOUND);
    assertThat(refusal.reason()).isEqualTo("POOL_NOT_FOUND");
    assertThat(refusal.message()).contains("'onprem'");
    admin.provision(tenant);
    assertThat(get("onprem", View.VIEW_UNSPECIFIED).getType()).isEqualTo(Pool.Type.TYPE_STATIC);
  }

  @Test
  void takesNoNameTwice() {
    create("onprem", Pool.getDefaultInstance());
    Refusal refusal = refused(() -> create("onprem", full));
    assertThat(refusal.code()).isEqualTo(Status.Code.ALREADY_EXISTS);
    assertThat(refusal.reason()).isEqualTo("NAME_TAKEN");
    assertThat(refusal.violations()).extracting(FieldViolation::field).containsExactly("pool_id");
    assertThat(get("onprem", View.VIEW_DRAFT).getDescription()).isEmpty();
  }

  @Test
  void tellsEveryWrongFieldOfAPool() {
    Refusal refusal =
        refused(() ->
            create(
                "cloud",
                full.toBuilder()
                    .setCapacity("0.1234567")
                    .addProfileOrder("absent")
                    .setCurrency("ZZQ")
                    .setType(Pool.Type.TYPE_STATIC)
                    .build()));
    assertThat(refusal.code()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(refusal.reason()).isEqualTo("INEXACT_QUANTITY");
    assertThat(refusal.metadata())
        .containsEntry("below", "1037/8400")
        .containsEntry("above", "3889/31500");
    assertThat(refusal.violations())
        .extracting(FieldViolation::field)
        .containsExactly(
            "pool.capacity", "pool.currency", "pool.elasticity", "pool.profile_order[0]");
    assertThat(refusal.violations())
        .extracting(FieldViolation::reason)
        .containsExactly(
            "INEXACT_QUANTITY", "UNKNOWN_CURRENCY", "CONTRADICTION", "UNKNOWN_PROFILE");
    assertThat(refused(() -> get("cloud", View.VIEW_DRAFT)).reason()).isEqualTo("POOL_NOT_FOUND");
  }

  @Test
  void refusesWhatTheContractRefuses() {
    Refusal refusal =
        refused(() -> create("Not An Id", full.toBuilder().setPricePerGpuHour("1,20").build()));
    assertThat(refusal.violations())
        .extracting(FieldViolation::field)
        .containsExactlyInAnyOrder("pool_id", "pool.price_per_gpu_hour");
  }

  @Test
  void aMaskChangesWhatItNamesAndNothingElse() {
    create("cloud", full);
    Pool update =
        Pool.newBuilder()
            .setName(name("cloud"))
            .setCapacity("4")
            .setGpuModel("H100")
            .setElasticity(Elasticity.newBuilder().setMaxInstances(9))
            .build();
    assertThat(
            update(
                update, "capacity", "elasticity.max_instances", "price_per_gpu_hour", "currency"))
        .isEqualTo(
            full.toBuilder()
                .setName(name("cloud"))
                .setCapacity("4")
                .setElasticity(full.getElasticity().toBuilder().setMaxInstances(9))
                .clearPricePerGpuHour()
                .clearCurrency()
                .build());
  }

  @Test
  void withoutAMaskEverythingIsReplaced() {
    create("cloud", full);
    Pool plain = Pool.newBuilder().setName(name("cloud")).setGpuModel("H100").build();
    Pool expected = plain.toBuilder().setType(Pool.Type.TYPE_STATIC).build();
    assertThat(update(plain)).isEqualTo(expected);
    assertThat(update(full.toBuilder().setName(name("cloud")).build(), "*"))
        .isEqualTo(full.toBuilder().setName(name("cloud")).build());
  }

  @Test
  void refusesAMaskOfWhatIsNotThereOrCannotChange() {
    create("cloud", full);
    Pool update = Pool.newBuilder().setName(name("cloud")).build();
    Refusal unknown = refused(() -> update(update, "capacity", "colour"));
    assertThat(unknown.reason()).isEqualTo("INVALID_FIELD_MASK");
    assertThat(unknown.violations().getFirst().field()).isEqualTo("update_mask.paths[1]");
    assertThat(unknown.message()).contains("'colour'");
    assertThat(refused(() -> update(update, "name")).message()).contains("cannot be changed");
    assertThat(get("cloud", View.VIEW_DRAFT).getCapacity()).isEqualTo("33/2");
  }

  @Test
  void updatesAndDeletesOnlyWhatIsThere() {
    assertThat(refused(() -> update(Pool.newBuilder().setName(name("absent")).build())).reason())
        .isEqualTo("POOL_NOT_FOUND");
    assertThat(refused(() -> delete("absent")).reason()).isEqualTo("POOL_NOT_FOUND");
    Refusal malformed = refused(() -> update(Pool.newBuilder().setName("pools/cloud").build()));
    assertThat(malformed.reason()).isEqualTo("INVALID_NAME");
    assertThat(malformed.violations().getFirst().field()).isEqualTo("pool.name");
    assertThat(refused(() -> delete("a/../b")).reason()).isEqualTo("INVALID_NAME");
  }

  @Test
  void deletingTakesLinksAlong() {
    create("a", Pool.getDefaultInstance());
    create("b", Pool.getDefaultInstance());
    admin.profiles.createProfile(
        CreateProfileRequest.newBuilder()
            .setParent("tenants/" + tenant)
            .setProfileId("half")
            .setProfile(profile(tenant, "half", "1/2", "a", "b"))
            .build());
    delete("a");
    assertThat(
            admin
                .profiles
                .getProfile(
                    GetProfileRequest.newBuilder()
                        .setName("tenants/" + tenant + "/profiles/half")
                        .setView(View.VIEW_DRAFT)
                        .build())
                .getPoolsList())
        .containsExactly("b");
  }

  @Test
  void listsInPages() {
    for (String id : List.of("d", "a", "e", "c", "b")) {
      create(id, Pool.getDefaultInstance());
    }
    List<String> seen = new ArrayList<>();
    String token = "";
    do {
      ListPoolsResponse page = list(2, token);
      assertThat(page.getPoolsCount()).isLessThanOrEqualTo(2);
      page.getPoolsList().forEach(pool -> seen.add(pool.getName()));
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    assertThat(seen).containsExactly(name("a"), name("b"), name("c"), name("d"), name("e"));
    assertThat(list(5, "").getNextPageToken()).isEmpty();
    assertThat(list(0, "").getPoolsCount()).isEqualTo(5);
  }

  @Test
  void aPageTokenContinuesItsOwnListOnly() {
    create("a", Pool.getDefaultInstance());
    create("b", Pool.getDefaultInstance());
    String token = list(1, "").getNextPageToken();
    ListPoolsRequest otherView =
        ListPoolsRequest.newBuilder().setParent("tenants/" + tenant).setPageToken(token).build();
    assertThat(refused(() -> admin.pools.listPools(otherView)).reason())
        .isEqualTo("INVALID_PAGE_TOKEN");
    Client operator = new Client(SERVER.channel(SERVER.tokens().operator()));
    ListPoolsRequest otherTenant =
        ListPoolsRequest.newBuilder()
            .setParent("tenants/" + Client.newTenant())
            .setView(View.VIEW_DRAFT)
            .setPageToken(token)
            .build();
    assertThat(refused(() -> operator.pools.listPools(otherTenant)).reason())
        .isEqualTo("INVALID_PAGE_TOKEN");
  }

  @Test
  void answersARepeatedRequestAsTheFirst() {
    CreatePoolRequest request =
        CreatePoolRequest.newBuilder()
            .setParent("tenants/" + tenant)
            .setPoolId("cloud")
            .setPool(full)
            .setRequestId(UUID.randomUUID().toString())
            .build();
    Pool first = admin.pools.createPool(request);
    update(first.toBuilder().setCapacity("1").build(), "capacity");
    assertThat(admin.pools.createPool(request)).isEqualTo(first);
    Refusal reused =
        refused(() -> admin.pools.createPool(request.toBuilder().setPoolId("other").build()));
    assertThat(reused.code()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(reused.reason()).isEqualTo("REQUEST_ID_REUSED");
    Refusal spaced =
        refused(() -> admin.pools.createPool(request.toBuilder().setRequestId("a b").build()));
    assertThat(spaced.reason()).isEqualTo("INVALID_FIELD");
    assertThat(spaced.violations().getFirst().field()).isEqualTo("request_id");
  }

  @Test
  void aRefusedRequestMayBeSentAgainWithItsId() {
    CreatePoolRequest.Builder request =
        CreatePoolRequest.newBuilder()
            .setParent("tenants/" + tenant)
            .setPoolId("cloud")
            .setRequestId(UUID.randomUUID().toString());
    refused(
        () -> admin.pools.createPool(request.setPool(full.toBuilder().setCapacity("x")).build()));
    assertThat(admin.pools.createPool(request.setPool(full).build()).getCapacity())
        .isEqualTo("33/2");
  }

  private Pool create(String id, Pool pool) {
    return admin.pools.createPool(
        CreatePoolRequest.newBuilder()
            .setParent("tenants/" + tenant)
            .setPoolId(id)
            .setPool(pool)
            .build());
  }

  private Pool update(Pool pool, String... paths) {
    return admin.pools.updatePool(
        UpdatePoolRequest.newBuilder()
            .setPool(pool)
            .setUpdateMask(FieldMask.newBuilder().addAllPaths(List.of(paths)))
            .build());
  }

  private void delete(String id) {
    admin.pools.deletePool(DeletePoolRequest.newBuilder().setName(name(id)).build());
  }

  private Pool get(String id, View view) {
    return admin.pools.getPool(getRequest(id, view));
  }

  private GetPoolRequest getRequest(String id, View view) {
    return GetPoolRequest.newBuilder().setName(name(id)).setView(view).build();
  }

  private ListPoolsResponse list(int size, String token) {
    return admin.pools.listPools(
        ListPoolsRequest.newBuilder()
            .setParent("tenants/" + tenant)
            .setView(View.VIEW_DRAFT)
            .setPageSize(size)
            .setPageToken(token)
            .build());
  }

  private String name(String id) {
    return pool(tenant, id).getName();
  }
}
