package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.Timestamps;
import io.grpc.Channel;
import io.grpc.Status.Code;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.policy.v1.AccessConfiguration;
import io.headgate.proto.policy.v1.CreateKeyRequest;
import io.headgate.proto.policy.v1.CreateKeyResponse;
import io.headgate.proto.policy.v1.Key;
import io.headgate.proto.policy.v1.ListKeysRequest;
import io.headgate.proto.policy.v1.ListKeysResponse;
import io.headgate.proto.policy.v1.RevokeKeyRequest;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.proto.policy.v1.WhoAmIRequest;
import io.headgate.proto.policy.v1.WhoAmIResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class KeyTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @Order(2)
  @RegisterExtension
  static final PolicyFixture POLICY = PolicyFixture.of(POSTGRES);

  @Test
  void aSecretIsShownOnceAndStoredNowhere() {
    String tenant = POLICY.tenant();
    CreateKeyResponse made = create(POLICY.operator(), "tenants/" + tenant + "/users/ada");
    assertThat(made.getSecret()).matches("hg_user_[0-9a-f]{16}_[A-Za-z0-9_-]{43}");
    String letters = made.getSecret().substring(made.getSecret().length() - 43);
    String rows =
        POSTGRES
            .database()
            .jooq()
            .select(DSL.field("keys::text", String.class))
            .from(DSL.table("keys"))
            .fetch()
            .toString();
    assertThat(rows).contains(made.getKey().getName().substring("keys/".length()));
    assertThat(rows).doesNotContain(letters);
  }

  @Test
  void lastUseIsKeptToTheHour() {
    String tenant = POLICY.tenant();
    Channel admin = POLICY.admin(tenant);
    String owner = "tenants/" + tenant + "/users/ada";
    CreateKeyResponse made = create(admin, owner);
    assertThat(made.getKey().hasLastUseTime()).isFalse();
    POLICY.clock().advance(Duration.ofMinutes(90));
    Instant hour = POLICY.clock().instant().truncatedTo(ChronoUnit.HOURS);
    POLICY.exchange(made.getSecret());
    Key listed =
        list(admin, tenant).stream()
            .filter(key -> key.getName().equals(made.getKey().getName()))
            .findFirst()
            .orElseThrow();
    assertThat(Instant.ofEpochMilli(Timestamps.toMillis(listed.getLastUseTime()))).isEqualTo(hour);
  }

  @Test
  void anAdminMakesKeysForItsOwnTenantOnly() {
    String own = POLICY.tenant();
    String other = POLICY.tenant();
    Channel admin = POLICY.admin(own);
    create(admin, "tenants/" + own + "/users/ada");
    assertRefused(admin, "tenants/" + other + "/users/ada", Code.NOT_FOUND, "TENANT_NOT_FOUND");
    assertRefused(admin, "services/scheduler", Code.PERMISSION_DENIED, "KEY_NOT_ALLOWED");
    assertRefused(admin, "operators/root", Code.PERMISSION_DENIED, "KEY_NOT_ALLOWED");
    assertRefused(
        admin, "tenants/" + own + "/nodes/gpu-1", Code.PERMISSION_DENIED, "KEY_NOT_ALLOWED");
  }

  @Test
  void aUserWithoutAGroupSignsInWithoutRightsAndItsKeyIsMarked() {
    Acme acme = Acme.found(POLICY);
    acme.replace(acme.twoTeams());
    String ada = POLICY.key(acme.parent() + "/users/ada");
    create(acme.admin(), acme.parent() + "/serviceAccounts/nightly");
    assertThat(marked(acme)).isEmpty();
    AccessConfiguration.Builder without = acme.twoTeams();
    without.getGroupsBuilder(0).clearUsers().clearServiceAccounts();
    acme.replace(without);
    assertThat(marked(acme))
        .containsExactlyInAnyOrder(
            acme.parent() + "/users/ada", acme.parent() + "/serviceAccounts/nightly");
    WhoAmIResponse self =
        TokenServiceGrpc.newBlockingStub(POLICY.channel(POLICY.exchange(ada)))
            .whoAmI(WhoAmIRequest.getDefaultInstance());
    assertThat(self.getRole()).isEqualTo("ROLE_MEMBER");
    assertThat(self.getGroupsList()).isEmpty();
    assertThat(self.getQueuesList()).isEmpty();
  }

  private static List<String> marked(Acme acme) {
    return list(acme.admin(), acme.id()).stream()
        .filter(Key::getOwnerWithoutGroup)
        .map(Key::getOwner)
        .toList();
  }

  @Test
  void aKeyNeedsAnOwnerWhoExists() {
    String tenant = POLICY.tenant();
    Channel operator = POLICY.operator();
    assertRefused(
        operator, "tenants/" + tenant + "/users/nobody", Code.INVALID_ARGUMENT, "USER_NOT_FOUND");
    assertRefused(
        operator,
        "tenants/" + tenant + "/serviceAccounts/ci",
        Code.INVALID_ARGUMENT,
        "SERVICE_ACCOUNT_NOT_FOUND");
    assertRefused(operator, "tenants/gone/users/ada", Code.NOT_FOUND, "TENANT_NOT_FOUND");
    assertRefused(operator, "nonsense", Code.INVALID_ARGUMENT, "INVALID_NAME");
  }

  @Test
  void servicesAndOperatorsGetKeysFromOperators() {
    String service = create(POLICY.operator(), "services/scheduler").getSecret();
    assertThat(POLICY.service().verifier().verify(POLICY.exchange(service)).subject())
        .isEqualTo("services/scheduler");
    String second = create(POLICY.operator(), "operators/second").getSecret();
    assertThat(POLICY.service().verifier().verify(POLICY.exchange(second)).subject())
        .isEqualTo("operators/second");
  }

  @Test
  void foreignKeysCannotBeSeenOrRevoked() {
    String own = POLICY.tenant();
    String other = POLICY.tenant();
    CreateKeyResponse foreign = create(POLICY.operator(), "tenants/" + other + "/users/ada");
    Channel admin = POLICY.admin(own);
    assertThat(list(admin, own)).noneMatch(key -> key.getOwner().contains(other));
    assertThat(PolicyFixture.refusal(() -> list(admin, other)).reason())
        .isEqualTo("TENANT_NOT_FOUND");
    Refusal refused = PolicyFixture.refusal(() -> revoke(admin, foreign.getKey().getName()));
    Refusal absent = PolicyFixture.refusal(() -> revoke(admin, "keys/0123456789abcdef"));
    assertThat(refused.reason()).isEqualTo("KEY_NOT_FOUND").isEqualTo(absent.reason());
    POLICY.exchange(foreign.getSecret());
  }

  @Test
  void theLastOperatorsKeyCannotBeRevoked() {
    Channel operator = POLICY.operator();
    List<Key> operators =
        TokenServiceGrpc.newBlockingStub(operator)
            .listKeys(ListKeysRequest.newBuilder().setPageSize(1000).build())
            .getKeysList()
            .stream()
            .filter(key -> key.getOwner().startsWith("operators/"))
            .toList();
    String root = POLICY.adminKeys().getLast().reveal();
    List<Key> others =
        operators.stream().filter(key -> !root.contains(key.getName().substring(5))).toList();
    others.forEach(key -> revoke(operator, key.getName()));
    String last = "keys/" + root.split("_", 4)[2];
    Refusal refusal = PolicyFixture.refusal(() -> revoke(operator, last));
    assertThat(refusal.code()).isEqualTo(Code.FAILED_PRECONDITION);
    assertThat(refusal.reason()).isEqualTo("LAST_OPERATOR_KEY");
  }

  @Test
  void revokingTwiceIsRevokingOnce() {
    String tenant = POLICY.tenant();
    Channel admin = POLICY.admin(tenant);
    String name = create(admin, "tenants/" + tenant + "/users/ada").getKey().getName();
    revoke(admin, name);
    revoke(admin, name);
    Refusal refusal = PolicyFixture.refusal(() -> revoke(admin, "keys/xyz"));
    assertThat(refusal.reason()).isEqualTo("INVALID_NAME");
  }

  @Test
  void revokedKeysAreShownToWhoAsksForThem() {
    String tenant = POLICY.tenant();
    Channel admin = POLICY.admin(tenant);
    String name = create(admin, "tenants/" + tenant + "/users/ada").getKey().getName();
    POLICY.clock().advance(Duration.ofMinutes(5));
    Instant now = POLICY.clock().instant();
    revoke(admin, name);
    POLICY.clock().advance(Duration.ofMinutes(5));
    revoke(admin, name);
    assertThat(list(admin, tenant)).extracting(Key::getName).doesNotContain(name);
    List<Key> all =
        TokenServiceGrpc.newBlockingStub(admin)
            .listKeys(ListKeysRequest.newBuilder().setShowRevoked(true).setPageSize(1000).build())
            .getKeysList();
    Key revoked = all.stream().filter(key -> key.getName().equals(name)).findFirst().orElseThrow();
    assertThat(Timestamps.toMillis(revoked.getRevokeTime())).isEqualTo(now.toEpochMilli());
    assertThat(all).hasSize(list(admin, tenant).size() + 1);
    String page =
        TokenServiceGrpc.newBlockingStub(admin)
            .listKeys(ListKeysRequest.newBuilder().setShowRevoked(true).setPageSize(1).build())
            .getNextPageToken();
    assertThat(
            PolicyFixture.refusal(() ->
                    TokenServiceGrpc.newBlockingStub(admin)
                        .listKeys(ListKeysRequest.newBuilder().setPageToken(page).build()))
                .reason())
        .isEqualTo("INVALID_PAGE_TOKEN");
  }

  @Test
  void keysAreListedNewestFirstPageByPage() {
    String tenant = POLICY.tenant();
    Channel admin = POLICY.admin(tenant);
    String owner = "tenants/" + tenant + "/users/ada";
    List<String> made = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      POLICY.clock().advance(Duration.ofSeconds(1));
      made.addFirst(create(admin, owner).getKey().getName());
    }
    List<String> listed = new ArrayList<>();
    String token = "";
    do {
      ListKeysResponse page =
          TokenServiceGrpc.newBlockingStub(admin)
              .listKeys(ListKeysRequest.newBuilder().setPageSize(2).setPageToken(token).build());
      page.getKeysList().forEach(key -> listed.add(key.getName()));
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    assertThat(listed).startsWith(made.toArray(String[]::new)).doesNotHaveDuplicates();
  }

  @Test
  void timesToLiveHaveBounds() {
    String tenant = POLICY.tenant();
    Refusal refusal =
        PolicyFixture.refusal(() ->
            TokenServiceGrpc.newBlockingStub(POLICY.operator())
                .createKey(
                    CreateKeyRequest.newBuilder()
                        .setOwner("tenants/" + tenant + "/users/ada")
                        .setTimeToLive(com.google.protobuf.Duration.newBuilder().setSeconds(-5))
                        .build()));
    assertThat(refusal.reason()).isEqualTo("OUT_OF_RANGE");
    assertThat(refusal.violations().getFirst().field()).isEqualTo("time_to_live");
  }

  private static CreateKeyResponse create(Channel caller, String owner) {
    return TokenServiceGrpc.newBlockingStub(caller)
        .createKey(CreateKeyRequest.newBuilder().setOwner(owner).build());
  }

  private static void revoke(Channel caller, String name) {
    TokenServiceGrpc.newBlockingStub(caller)
        .revokeKey(RevokeKeyRequest.newBuilder().setName(name).build());
  }

  private static List<Key> list(Channel caller, String tenant) {
    return TokenServiceGrpc.newBlockingStub(caller)
        .listKeys(
            ListKeysRequest.newBuilder().setParent("tenants/" + tenant).setPageSize(1000).build())
        .getKeysList();
  }

  private static void assertRefused(Channel caller, String owner, Code code, String reason) {
    Refusal refusal = PolicyFixture.refusal(() -> create(caller, owner));
    assertThat(refusal.code()).as(owner).isEqualTo(code);
    assertThat(refusal.reason()).as(owner).isEqualTo(reason);
  }
}
