package io.headgate.pool;

import static io.headgate.pool.Client.profile;
import static io.headgate.pool.Client.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import com.google.protobuf.FieldMask;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.failure.Refusal.FieldViolation;
import io.headgate.kit.testing.ApiServerExtension;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.pool.v1.CreatePoolRequest;
import io.headgate.proto.pool.v1.CreateProfileRequest;
import io.headgate.proto.pool.v1.DeleteProfileRequest;
import io.headgate.proto.pool.v1.GetPoolRequest;
import io.headgate.proto.pool.v1.GetProfileRequest;
import io.headgate.proto.pool.v1.ListProfilesRequest;
import io.headgate.proto.pool.v1.ListProfilesResponse;
import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.pool.v1.Profile;
import io.headgate.proto.pool.v1.UpdatePoolRequest;
import io.headgate.proto.pool.v1.UpdateProfileRequest;
import io.headgate.proto.pool.v1.View;
import io.headgate.proto.type.v1.IsolationLevel;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ProfileEndpointTest {
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

  private final Profile full =
      Profile.newBuilder()
          .setGpus("1/7")
          .setWorkers(4)
          .setCpuMillis(4000)
          .setMemoryBytes(16L << 30)
          .setGpuMemoryBytes(20L << 30)
          .setIsolation(IsolationLevel.ISOLATION_LEVEL_DRIVER_CONTAINER)
          .addGpuModels("A100")
          .addGpuModels("H100 80GB")
          .setImages(true)
          .addPools("b")
          .addPools("a")
          .setHoldAfter(Duration.newBuilder().setSeconds(1).setNanos(500_000_000))
          .setPreemptionDelay(Duration.newBuilder().setSeconds(90))
          .setReclaim(Profile.Reclaim.RECLAIM_FAIR)
          .setDescription("a seventh")
          .build();

  @BeforeEach
  void createPools() {
    for (String id : List.of("a", "b")) {
      admin.pools.createPool(
          CreatePoolRequest.newBuilder()
              .setParent("tenants/" + tenant)
              .setPoolId(id)
              .setPool(Pool.getDefaultInstance())
              .build());
    }
  }

  @Test
  void keepsEveryFieldAsItWasGiven() {
    Profile created = create("seventh", full);
    assertThat(created).isEqualTo(full.toBuilder().setName(name("seventh")).build());
    assertThat(get("seventh")).isEqualTo(created);
    admin.provision(tenant);
    assertThat(
            admin.profiles.getProfile(
                GetProfileRequest.newBuilder().setName(name("seventh")).build()))
        .isEqualTo(created);
  }

  @Test
  void fillsInWhatIsAbsent() {
    assertThat(create("half", profile(tenant, "x", "0.5", "a").build()))
        .isEqualTo(
            profile(tenant, "half", "1/2", "a")
                .setWorkers(1)
                .setHoldAfter(Duration.newBuilder().setSeconds(600))
                .setPreemptionDelay(Duration.newBuilder().setSeconds(300))
                .setReclaim(Profile.Reclaim.RECLAIM_RESERVATION)
                .build());
  }

  @Test
  void refusesQuantitiesThatCannotBeKeptExactly() {
    Refusal inexact = refused(() -> create("x", profile(tenant, "x", "0.1234567", "a").build()));
    assertThat(inexact.reason()).isEqualTo("INEXACT_QUANTITY");
    assertThat(inexact.violations().getFirst().field()).isEqualTo("profile.gpus");
    assertThat(inexact.message())
        .isEqualTo(
            "profile.gpus: '0.1234567' cannot be represented exactly: the nearest quantities are"
                + " 1037/8400 and 3889/31500");
    Refusal fraction = refused(() -> create("x", profile(tenant, "x", "2.5", "a").build()));
    assertThat(fraction.reason()).isEqualTo("FRACTION_ABOVE_ONE");
    assertThat(fraction.message()).contains("5/2").contains("ask for 2 or 3");
    Refusal malformed = refused(() -> create("x", profile(tenant, "x", "half", "a").build()));
    assertThat(malformed.reason()).isEqualTo("MALFORMED_QUANTITY");
    assertThat(malformed.message()).contains("'half'").contains("write 4, 0.5 or 1/7");
  }

  @Test
  void tellsWhichPoolWasMeant() {
    Refusal refusal =
        refused(() -> create("x", profile(tenant, "x", "1", "a", "aa", "zebra").build()));
    assertThat(refusal.reason()).isEqualTo("UNKNOWN_POOL");
    assertThat(refusal.violations())
        .extracting(FieldViolation::field)
        .containsExactly("profile.pools[1]", "profile.pools[2]");
    assertThat(refusal.violations().getFirst().description()).contains("did you mean 'a'?");
    assertThat(refusal.violations().getLast().description()).contains("add it");
  }

  @Test
  void refusesWhatMakesNoSenseWithoutGpus() {
    Refusal refusal = refused(() -> create("cpu", full.toBuilder().setGpus("0").build()));
    assertThat(refusal.violations())
        .extracting(FieldViolation::field)
        .containsExactly("profile.gpu_memory_bytes", "profile.gpu_models", "profile.isolation");
  }

  @Test
  void takesNoNameTwiceAndAnswersARepeatedRequestAsTheFirst() {
    CreateProfileRequest request =
        CreateProfileRequest.newBuilder()
            .setParent("tenants/" + tenant)
            .setProfileId("seventh")
            .setProfile(full)
            .setRequestId(UUID.randomUUID().toString())
            .build();
    Profile first = admin.profiles.createProfile(request);
    assertThat(admin.profiles.createProfile(request)).isEqualTo(first);
    assertThat(refused(() -> create("seventh", full)).reason()).isEqualTo("NAME_TAKEN");
    assertThat(
            refused(() ->
                    admin.profiles.createProfile(
                        request.toBuilder().setProfile(full.toBuilder().setWorkers(5)).build()))
                .reason())
        .isEqualTo("REQUEST_ID_REUSED");
  }

  @Test
  void aMaskChangesWhatItNames() {
    create("seventh", full);
    Profile update =
        Profile.newBuilder().setName(name("seventh")).addPools("a").setWorkers(9).build();
    assertThat(update(update, "pools", "hold_after"))
        .isEqualTo(
            full.toBuilder()
                .setName(name("seventh"))
                .clearPools()
                .addPools("a")
                .setHoldAfter(Duration.newBuilder().setSeconds(600))
                .build());
    assertThat(refused(() -> update(update, "size")).reason()).isEqualTo("INVALID_FIELD_MASK");
    Refusal unknown =
        refused(() -> update(update.toBuilder().setIsolationValue(77).build(), "isolation"));
    assertThat(unknown.violations().getFirst().field()).isEqualTo("profile.isolation");
    assertThat(
            refused(() -> update(update.toBuilder().setWorkers(10_001).build(), "workers"))
                .reason())
        .isEqualTo("INVALID_FIELD");
    Profile absent = update.toBuilder().setName(name("absent")).build();
    assertThat(refused(() -> update(absent)).reason()).isEqualTo("PROFILE_NOT_FOUND");
  }

  @Test
  void mayLackPoolsInADraftButNotInForce() {
    create("later", profile(tenant, "later", "1").build());
    Refusal refusal = refused(() -> admin.provision(tenant));
    assertThat(refusal.code()).isEqualTo(io.grpc.Status.Code.FAILED_PRECONDITION);
    assertThat(refusal.reason()).isEqualTo("PROFILE_WITHOUT_POOL");
    assertThat(refusal.violations().getFirst().field()).isEqualTo("profiles[later].pools");
    update(profile(tenant, "later", "1", "a").build(), "pools");
    assertThat(admin.provision(tenant).getVersion()).isEqualTo(1);
  }

  @Test
  void deletingTakesItsPlaceInOrdersAlong() {
    create("seventh", full);
    String pool = "tenants/" + tenant + "/pools/a";
    admin.pools.updatePool(
        UpdatePoolRequest.newBuilder()
            .setPool(Pool.newBuilder().setName(pool).addProfileOrder("seventh"))
            .setUpdateMask(FieldMask.newBuilder().addPaths("profile_order"))
            .build());
    delete("seventh");
    assertThat(
            admin
                .pools
                .getPool(GetPoolRequest.newBuilder().setName(pool).setView(View.VIEW_DRAFT).build())
                .getProfileOrderList())
        .isEmpty();
    assertThat(refused(() -> delete("seventh")).reason()).isEqualTo("PROFILE_NOT_FOUND");
    assertThat(refused(() -> get("seventh")).reason()).isEqualTo("PROFILE_NOT_FOUND");
  }

  @Test
  void listsInPages() {
    for (String id : List.of("c", "a", "b")) {
      create(id, full);
    }
    ListProfilesResponse first = list(2, "");
    assertThat(first.getProfilesList())
        .extracting(Profile::getName)
        .containsExactly(name("a"), name("b"));
    ListProfilesResponse second = list(2, first.getNextPageToken());
    assertThat(second.getProfilesList()).extracting(Profile::getName).containsExactly(name("c"));
    assertThat(second.getNextPageToken()).isEmpty();
    assertThat(refused(() -> list(2, "made-up")).reason()).isEqualTo("INVALID_PAGE_TOKEN");
  }

  private Profile create(String id, Profile profile) {
    return admin.profiles.createProfile(
        CreateProfileRequest.newBuilder()
            .setParent("tenants/" + tenant)
            .setProfileId(id)
            .setProfile(profile)
            .build());
  }

  private Profile update(Profile profile, String... paths) {
    return admin.profiles.updateProfile(
        UpdateProfileRequest.newBuilder()
            .setProfile(profile)
            .setUpdateMask(FieldMask.newBuilder().addAllPaths(List.of(paths)))
            .build());
  }

  private void delete(String id) {
    admin.profiles.deleteProfile(DeleteProfileRequest.newBuilder().setName(name(id)).build());
  }

  private Profile get(String id) {
    return admin.profiles.getProfile(
        GetProfileRequest.newBuilder().setName(name(id)).setView(View.VIEW_DRAFT).build());
  }

  private ListProfilesResponse list(int size, String token) {
    return admin.profiles.listProfiles(
        ListProfilesRequest.newBuilder()
            .setParent("tenants/" + tenant)
            .setView(View.VIEW_DRAFT)
            .setPageSize(size)
            .setPageToken(token)
            .build());
  }

  private String name(String id) {
    return profile(tenant, id, "1").getName();
  }
}
