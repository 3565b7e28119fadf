package io.headgate.pool;

import static io.headgate.pool.Client.configuration;
import static io.headgate.pool.Client.node;
import static io.headgate.pool.Client.pool;
import static io.headgate.pool.Client.profile;
import static io.headgate.pool.Client.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.failure.Refusal.FieldViolation;
import io.headgate.kit.testing.ApiServerExtension;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.pool.v1.DiscardDraftRequest;
import io.headgate.proto.pool.v1.GetDraftRequest;
import io.headgate.proto.pool.v1.GetResourceConfigurationRequest;
import io.headgate.proto.pool.v1.ListResourceConfigurationVersionsRequest;
import io.headgate.proto.pool.v1.ListResourceConfigurationVersionsResponse;
import io.headgate.proto.pool.v1.Pool;
import io.headgate.proto.pool.v1.Profile;
import io.headgate.proto.pool.v1.ProvisionDraftRequest;
import io.headgate.proto.pool.v1.RegisterNodeRequest;
import io.headgate.proto.pool.v1.ReplaceDraftRequest;
import io.headgate.proto.pool.v1.ReplaceDraftResponse;
import io.headgate.proto.pool.v1.ResourceConfiguration;
import io.headgate.proto.pool.v1.Warning;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ConfigurationEndpointTest {
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

  @Test
  void aTenantWithoutAnythingHasAnEmptyConfiguration() {
    ResourceConfiguration empty =
        ResourceConfiguration.newBuilder().setTenant(tenant).setEtag("c0").build();
    assertThat(inForce()).isEqualTo(empty);
    assertThat(draft()).isEqualTo(empty);
    assertThat(versions(10, "").getVersionsList()).isEmpty();
  }

  @Test
  void provisionsADraftAsTheNextVersion() {
    ResourceConfiguration draft = admin.replaceDraft(tenant, small("8")).getDraft();
    assertThat(draft.getVersion()).isZero();
    assertThat(draft()).isEqualTo(draft);
    assertThat(inForce().getPoolsList()).isEmpty();

    ResourceConfiguration first = provision(draft.getEtag());
    assertThat(first.getVersion()).isEqualTo(1);
    assertThat(first.getEtag()).isEqualTo(draft.getEtag());
    assertThat(first.getUpdatedBy()).isEqualTo("tenants/" + tenant + "/users/admin");
    assertThat(first.getPoolsList()).isEqualTo(draft.getPoolsList());
    assertThat(inForce()).isEqualTo(first);
    assertThat(draft()).isEqualTo(first);

    assertThat(admin.apply(tenant, small("9")).getVersion()).isEqualTo(2);
    assertThat(version(1)).isEqualTo(first);
    assertThat(version(2)).isEqualTo(inForce());
    Refusal absent = refused(() -> version(3));
    assertThat(absent.reason()).isEqualTo("VERSION_NOT_FOUND");
    assertThat(absent.message()).contains("the newest is 2");
  }

  @Test
  void keepsTheOrderOfLinksOnBothSides() {
    ResourceConfiguration applied =
        admin.apply(
            tenant,
            configuration(
                List.of(
                    pool(tenant, "a").addProfileOrder("two").addProfileOrder("one").build(),
                    pool(tenant, "b").addProfileOrder("one").build()),
                List.of(
                    profile(tenant, "one", "1", "b", "a").build(),
                    profile(tenant, "two", "2", "b").build())));
    assertThat(applied.getPools(0).getProfileOrderList()).containsExactly("two", "one");
    assertThat(applied.getProfiles(0).getPoolsList()).containsExactly("b", "a");
    assertThat(inForce()).isEqualTo(applied);
  }

  @Test
  void applyingTheSameAgainChangesNothing() {
    ResourceConfiguration first = admin.apply(tenant, small("8"));
    assertThat(admin.apply(tenant, small("8.0"))).isEqualTo(first);
    assertThat(draft()).isEqualTo(first);
    ResourceConfiguration exported = inForce().toBuilder().clearEtag().build();
    assertThat(admin.apply(tenant, exported)).isEqualTo(first);
  }

  @Test
  void anEqualDraftKeepsItsEtag() {
    ResourceConfiguration draft = admin.replaceDraft(tenant, small("8")).getDraft();
    assertThat(admin.replaceDraft(tenant, small("8")).getDraft()).isEqualTo(draft);
    assertThat(admin.replaceDraft(tenant, small("9")).getDraft().getEtag())
        .isNotEqualTo(draft.getEtag());
  }

  @Test
  void ofTwoEditorsTheSecondLearnsOfTheFirst() {
    ResourceConfiguration seen = admin.replaceDraft(tenant, small("8")).getDraft();
    Client other = new Client(SERVER.channel(SERVER.tokens().admin(tenant)));
    ResourceConfiguration theirs =
        other
            .replaceDraft(tenant, small("9").toBuilder().setEtag(seen.getEtag()).build())
            .getDraft();

    Refusal lost =
        refused(() ->
            admin.replaceDraft(tenant, small("10").toBuilder().setEtag(seen.getEtag()).build()));
    assertThat(lost.code()).isEqualTo(Status.Code.ABORTED);
    assertThat(lost.reason()).isEqualTo("VERSION_CHANGED");
    assertThat(lost.metadata())
        .containsEntry("expectedEtag", seen.getEtag())
        .containsEntry("actualEtag", theirs.getEtag());
    assertThat(refused(() -> provision(seen.getEtag())).reason()).isEqualTo("VERSION_CHANGED");
    assertThat(draft()).isEqualTo(theirs);
    assertThat(provision(theirs.getEtag()).getPools(0).getCapacity()).isEqualTo("9");
  }

  @Test
  void refusesAChangeThatWasMadeForAnotherVersion() {
    admin.apply(tenant, small("8"));
    admin.apply(tenant, small("9"));
    Refusal stale = refused(() -> replace(small("10"), 1, false));
    assertThat(stale.code()).isEqualTo(Status.Code.ABORTED);
    assertThat(stale.metadata())
        .containsEntry("expectedVersion", "1")
        .containsEntry("actualVersion", "2");
    assertThat(replace(small("10"), 2, false).getDraft().getVersion()).isEqualTo(2);
  }

  @Test
  void tellsEverythingThatIsWrongAndStoresNothing() {
    ResourceConfiguration before = admin.replaceDraft(tenant, small("8")).getDraft();
    Refusal refusal =
        refused(() ->
            admin.replaceDraft(
                tenant,
                configuration(
                    List.of(pool(tenant, "onprem").setCapacity("lots").build()),
                    List.of(
                        profile(tenant, "half", "0.1234567", "onprem").build(),
                        profile(tenant, "unlinked", "1").build(),
                        profile("other", "foreign", "1", "onprm").build()))));
    assertThat(refusal.violations())
        .extracting(FieldViolation::field)
        .containsExactly(
            "pools[onprem].capacity",
            "profiles[half].gpus",
            "profiles[unlinked].pools",
            "profiles[2].name",
            "profiles[2].pools[0]");
    assertThat(refusal.message()).contains("'lots'").contains("(and 4 more)");
    assertThat(refusal.violations().getLast().description()).contains("did you mean 'onprem'?");
    assertThat(draft()).isEqualTo(before);
  }

  @Test
  void refusesAConfigurationOfAnotherTenant() {
    Refusal refusal =
        refused(
            () -> admin.replaceDraft(tenant, small("8").toBuilder().setTenant("other").build()));
    assertThat(refusal.violations().getFirst().field()).isEqualTo("configuration.tenant");
  }

  @Test
  void checksWithoutStoring() {
    ReplaceDraftResponse checked = replace(small("8"), 0, true);
    assertThat(checked.getDraft().getProfiles(0).getGpus()).isEqualTo("1/2");
    assertThat(checked.getWarningsList()).extracting(Warning::getReason).contains("NO_DEVICES");
    assertThat(draft().getPoolsList()).isEmpty();
    assertThat(refused(() -> replace(small("x"), 0, true)).reason())
        .isEqualTo("MALFORMED_QUANTITY");
  }

  @Test
  void aCheckLeavesTheDraftThatIsThereAndNamesNoOther() {
    ResourceConfiguration stored = admin.replaceDraft(tenant, small("8")).getDraft();
    ResourceConfiguration checked = replace(small("9"), 0, true).getDraft();
    assertThat(checked.getPools(0).getCapacity()).isEqualTo("9");
    assertThat(checked.getEtag()).isEmpty();
    assertThat(replace(small("8"), 0, true).getDraft()).isEqualTo(stored);
    assertThat(draft()).isEqualTo(stored);
  }

  @Test
  void saysWhatProvisioningWouldComeToAndKeepsTheDraft() {
    ResourceConfiguration draft = admin.replaceDraft(tenant, small("8")).getDraft();
    ProvisionDraftRequest check =
        ProvisionDraftRequest.newBuilder()
            .setParent("tenants/" + tenant)
            .setEtag(draft.getEtag())
            .setValidateOnly(true)
            .build();
    ResourceConfiguration would = admin.configurations.provisionDraft(check);
    assertThat(would.getVersion()).isEqualTo(1);
    assertThat(would.getPoolsList()).isEqualTo(draft.getPoolsList());
    assertThat(inForce().getVersion()).isZero();
    assertThat(draft()).isEqualTo(draft);
    assertThat(
            refused(() ->
                    admin.configurations.provisionDraft(check.toBuilder().setEtag("c9").build()))
                .reason())
        .isEqualTo("VERSION_CHANGED");
  }

  @Test
  void warnsWithTheNumbers() {
    admin.apply(tenant, small("4"));
    new Client(SERVER.channel(SERVER.tokens().node(tenant, "gpu-1", Map.of("pool", "onprem"))))
        .nodes.registerNode(
            RegisterNodeRequest.newBuilder().setNode(node(tenant, "gpu-1", 8)).build());
    assertThat(admin.replaceDraft(tenant, small("8")).getWarningsList()).isEmpty();
    assertThat(admin.replaceDraft(tenant, small("16")).getWarningsList())
        .containsExactly(
            Warning.newBuilder()
                .setReason("OVERCOMMITTED")
                .setField("pools[onprem].capacity")
                .setMessage(
                    "capacity 16 is more than pool 'onprem' has: its nodes have 8 GPUs, its"
                        + " provider may add up to 0")
                .build());
  }

  @Test
  void forgetsADiscardedDraft() {
    ResourceConfiguration first = admin.apply(tenant, small("8"));
    admin.replaceDraft(tenant, small("9"));
    discard();
    assertThat(draft()).isEqualTo(first);
    discard();
    Refusal refusal = refused(() -> admin.provision(tenant));
    assertThat(refusal.code()).isEqualTo(Status.Code.FAILED_PRECONDITION);
    assertThat(refusal.reason()).isEqualTo("NO_DRAFT");
  }

  @Test
  void anEtagIsNeverUsedAgain() {
    String first = admin.replaceDraft(tenant, small("8")).getDraft().getEtag();
    discard();
    String second = admin.replaceDraft(tenant, small("8")).getDraft().getEtag();
    assertThat(second).isNotEqualTo(first);
    assertThat(refused(() -> provision(first)).reason()).isEqualTo("VERSION_CHANGED");
  }

  @Test
  void answersARepeatedProvisionAsTheFirst() {
    admin.replaceDraft(tenant, small("8"));
    ProvisionDraftRequest request =
        ProvisionDraftRequest.newBuilder()
            .setParent("tenants/" + tenant)
            .setRequestId(UUID.randomUUID().toString())
            .build();
    ResourceConfiguration first = admin.configurations.provisionDraft(request);
    admin.replaceDraft(tenant, small("9"));
    assertThat(admin.configurations.provisionDraft(request)).isEqualTo(first);
    assertThat(inForce().getVersion()).isEqualTo(1);
    assertThat(
            refused(() ->
                    admin.configurations.provisionDraft(request.toBuilder().setEtag("c9").build()))
                .reason())
        .isEqualTo("REQUEST_ID_REUSED");
  }

  @Test
  void listsVersionsNewestFirstInPages() {
    for (int i = 1; i <= 5; i++) {
      admin.apply(tenant, small(Integer.toString(i)));
    }
    List<Long> seen = new ArrayList<>();
    String token = "";
    do {
      ListResourceConfigurationVersionsResponse page = versions(2, token);
      page.getVersionsList()
          .forEach(version -> {
            seen.add(version.getVersion());
            assertThat(version.getPoolsList()).isEmpty();
            assertThat(version.hasUpdateTime()).isTrue();
          });
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    assertThat(seen).containsExactly(5L, 4L, 3L, 2L, 1L);
  }

  @Test
  void refusesTextThatCannotBeKept() {
    Refusal nul = refused(() -> admin.replaceDraft(tenant, described("zero\0")));
    assertThat(nul.reason()).isEqualTo("INVALID_FIELD");
    assertThat(nul.violations().getFirst().field()).isEqualTo("configuration.pools[0].description");
    Refusal escape = refused(() -> admin.replaceDraft(tenant, described("\u001b[2J")));
    assertThat(escape.reason()).isEqualTo("UNFIT_TEXT");
    assertThat(escape.violations().getFirst().field()).isEqualTo("pools[a].description");
  }

  @Test
  void holdsALargeConfiguration() {
    List<Pool> pools = new ArrayList<>();
    List<Profile> profiles = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      pools.add(pool(tenant, "pool-" + i).build());
      profiles.add(
          profile(tenant, "profile-" + i, "1/2", "pool-" + i, "pool-" + (i + 1) % 1000).build());
    }
    ResourceConfiguration applied = admin.apply(tenant, configuration(pools, profiles));
    assertThat(applied.getPoolsCount() + applied.getProfilesCount()).isEqualTo(2000);
    assertThat(inForce()).isEqualTo(applied);
  }

  private ResourceConfiguration described(String text) {
    return configuration(List.of(pool(tenant, "a").setDescription(text).build()), List.of());
  }

  private ResourceConfiguration small(String capacity) {
    return configuration(
        List.of(pool(tenant, "onprem").setCapacity(capacity).build()),
        List.of(profile(tenant, "half", "0.5", "onprem").build()));
  }

  private ReplaceDraftResponse replace(
      ResourceConfiguration configuration, long ifVersion, boolean validateOnly) {
    return admin.configurations.replaceDraft(
        ReplaceDraftRequest.newBuilder()
            .setParent("tenants/" + tenant)
            .setConfiguration(configuration)
            .setIfVersion(ifVersion)
            .setValidateOnly(validateOnly)
            .build());
  }

  private ResourceConfiguration provision(String etag) {
    return admin.configurations.provisionDraft(
        ProvisionDraftRequest.newBuilder().setParent("tenants/" + tenant).setEtag(etag).build());
  }

  private void discard() {
    admin.configurations.discardDraft(
        DiscardDraftRequest.newBuilder().setParent("tenants/" + tenant).build());
  }

  private ResourceConfiguration draft() {
    return admin.configurations.getDraft(
        GetDraftRequest.newBuilder().setParent("tenants/" + tenant).build());
  }

  private ResourceConfiguration inForce() {
    return version(0);
  }

  private ResourceConfiguration version(long version) {
    return admin.configurations.getResourceConfiguration(
        GetResourceConfigurationRequest.newBuilder()
            .setParent("tenants/" + tenant)
            .setVersion(version)
            .build());
  }

  private ListResourceConfigurationVersionsResponse versions(int size, String token) {
    return admin.configurations.listResourceConfigurationVersions(
        ListResourceConfigurationVersionsRequest.newBuilder()
            .setParent("tenants/" + tenant)
            .setPageSize(size)
            .setPageToken(token)
            .build());
  }
}
