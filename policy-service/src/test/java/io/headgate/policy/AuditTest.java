package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Channel;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.policy.v1.CreateGroupRequest;
import io.headgate.proto.policy.v1.CreateKeyRequest;
import io.headgate.proto.policy.v1.DeleteUserRequest;
import io.headgate.proto.policy.v1.Group;
import io.headgate.proto.policy.v1.GroupServiceGrpc;
import io.headgate.proto.policy.v1.Policy;
import io.headgate.proto.policy.v1.RevokeKeyRequest;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import io.headgate.proto.policy.v1.UserServiceGrpc;
import io.headgate.proto.policy.v1.Vault;
import java.time.Duration;
import java.util.List;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuditTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @Order(2)
  @RegisterExtension
  static final PolicyFixture POLICY = PolicyFixture.of(POSTGRES);

  @Test
  void everyChangeSaysWhoDidWhatToWhatAndHowItWasBefore() {
    Acme acme = Acme.found(POLICY);
    acme.group("rnd", "grace");
    Policy policy = acme.policy("rnd", "rnd", "1", "8");
    acme.update(
        policy.toBuilder().setReservation("2").setWeight(3).build(), "reservation", "weight");
    acme.queue("rnd-3", "rnd", "three");
    acme.vault("rnd", Vault.newBuilder().putEnvironment("PROXY", "none").build());
    UserServiceGrpc.newBlockingStub(acme.admin())
        .deleteUser(DeleteUserRequest.newBuilder().setName(acme.parent() + "/users/grace").build());
    String admin = acme.parent() + "/users/admin";
    assertThat(entries(acme))
        .contains(
            entry(admin, "CreateUser", acme, "users/grace", "[]", "[]", "[]"),
            entry(admin, "CreateGroup", acme, "groups/rnd", "[users]", "[]", "[grace]"),
            entry(
                admin,
                "UpdatePolicy",
                acme,
                "policies/rnd",
                "[reservation, weight]",
                "[1, 1]",
                "[2, 3]"),
            entry(
                admin,
                "CreateVault",
                acme,
                "vaults/rnd",
                "[environment.PROXY, require_digest, require_image]",
                "[, , ]",
                "[(hidden), false, false]"),
            entry(admin, "UpdateGroup", acme, "groups/rnd", "[users]", "[grace]", "[]"));
    assertThat(entries(acme)).anyMatch(entry -> entry.contains("CreateQueue"));
    assertThat(entries(acme)).anyMatch(entry -> entry.contains("DeleteUser"));
    assertThat(rows(acme)).allMatch(row -> row.get("address", String.class).equals("127.0.0.1"));
    assertThat(rows(acme)).allMatch(row -> !row.get("request_id", String.class).isEmpty());
  }

  @Test
  void secretsAreInNoEntry() {
    Acme acme = Acme.found(POLICY);
    var tokens = TokenServiceGrpc.newBlockingStub(acme.admin());
    var made =
        tokens.createKey(
            CreateKeyRequest.newBuilder().setOwner(acme.parent() + "/users/ada").build());
    tokens.revokeKey(RevokeKeyRequest.newBuilder().setName(made.getKey().getName()).build());
    String letters = made.getSecret().substring(made.getSecret().length() - 43);
    assertThat(entries(acme))
        .anyMatch(entry -> entry.contains("CreateKey") && entry.contains(made.getKey().getName()))
        .anyMatch(entry -> entry.contains("RevokeKey"))
        .noneMatch(entry -> entry.contains(letters));
  }

  @Test
  void aRefusedChangeLeavesNoEntryOfAChange() {
    Acme acme = Acme.found(POLICY);
    int before = rows(acme).size();
    PolicyFixture.refusal(() -> acme.policy("rnd", "nobody", "1", "8"));
    assertThat(rows(acme)).hasSize(before);
  }

  @Test
  void whoWasKeptOutIsOnTheRecord() {
    Acme acme = Acme.found(POLICY);
    Acme other = Acme.found(POLICY);
    Channel ada = POLICY.member(acme.id());
    PolicyFixture.refusal(() -> group(ada, acme.parent()));
    PolicyFixture.refusal(() -> group(acme.admin(), other.parent()));
    PolicyFixture.refusal(() ->
        TokenServiceGrpc.newBlockingStub(acme.admin())
            .createKey(CreateKeyRequest.newBuilder().setOwner("operators/root").build()));
    String key = POLICY.key(acme.parent() + "/users/ada");
    TokenServiceGrpc.newBlockingStub(acme.admin())
        .revokeKey(RevokeKeyRequest.newBuilder().setName("keys/" + key.split("_", 4)[2]).build());
    PolicyFixture.refusal(() -> POLICY.exchange(key));
    assertThat(refused(acme))
        .containsExactly(
            acme.parent() + "/users/ada CreateGroup  ROLE_DENIED",
            acme.parent()
                + "/users/admin CreateGroup "
                + other.parent()
                + "/groups/sneaky TENANT_NOT_FOUND",
            acme.parent() + "/users/admin CreateKey operators/root KEY_NOT_ALLOWED",
            "anonymous ExchangeKey keys/" + key.split("_", 4)[2] + " KEY_REJECTED");
    assertThat(refused(other)).isEmpty();
  }

  @Test
  void whoKnocksAllDayFillsNoDisk() {
    Acme acme = Acme.found(POLICY);
    Channel ada = POLICY.member(acme.id());
    for (int i = 0; i < 60; i++) {
      PolicyFixture.refusal(() -> group(ada, acme.parent()));
    }
    assertThat(refused(acme)).hasSize(20);
    POLICY.clock().advance(Duration.ofMinutes(1));
    Channel again = POLICY.member(acme.id());
    PolicyFixture.refusal(() -> group(again, acme.parent()));
    assertThat(entries(acme).getLast()).contains("[entries_left_out]", "[40]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "update audit_log set actor = 'nobody'",
        "delete from audit_log",
        "truncate audit_log"
      })
  void theLogIsOnlyEverAppendedTo(String attempt) {
    Acme.found(POLICY).group("rnd");
    DSLContext jooq = POSTGRES.database().jooq();
    assertThatThrownBy(() -> jooq.execute(attempt)).hasMessageContaining("only ever appended to");
  }

  private static void group(Channel caller, String parent) {
    GroupServiceGrpc.newBlockingStub(caller)
        .createGroup(
            CreateGroupRequest.newBuilder()
                .setParent(parent)
                .setGroupId("sneaky")
                .setGroup(Group.getDefaultInstance())
                .build());
  }

  private static String entry(
      String actor,
      String action,
      Acme acme,
      String target,
      String fields,
      String before,
      String after) {
    return String.join(" ", actor, action, acme.parent() + "/" + target, fields, before, after);
  }

  private static List<String> entries(Acme acme) {
    return rows(acme).stream()
        .map(row ->
            String.join(
                " ",
                row.get("actor", String.class),
                row.get("action", String.class),
                row.get("target", String.class),
                list(row, "fields"),
                list(row, "before"),
                list(row, "after")))
        .toList();
  }

  private static List<String> refused(Acme acme) {
    return rows(acme).stream()
        .filter(row -> row.get("outcome", String.class).equals("REFUSED"))
        .map(row ->
            String.join(
                " ",
                row.get("actor", String.class),
                row.get("action", String.class),
                row.get("target", String.class),
                row.get("reason", String.class)))
        .toList();
  }

  private static String list(Record row, String column) {
    return List.of(row.get(column, String[].class)).toString();
  }

  private static List<? extends Record> rows(Acme acme) {
    return POSTGRES
        .database()
        .jooq()
        .selectFrom(DSL.table("audit_log"))
        .where(DSL.field("tenant_id").eq(acme.id()))
        .orderBy(DSL.field("audit_id"))
        .fetch();
  }
}
