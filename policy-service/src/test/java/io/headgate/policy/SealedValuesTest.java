package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.FieldMask;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import io.grpc.Channel;
import io.headgate.kit.client.ChannelConfig;
import io.headgate.kit.db.DataKeyTable;
import io.headgate.kit.db.Database;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.lifecycle.CannotStartException;
import io.headgate.kit.seal.KeyFile;
import io.headgate.kit.seal.Seal;
import io.headgate.kit.seal.SealedPlace;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.kit.testing.TestClock;
import io.headgate.kit.time.TimeSource;
import io.headgate.proto.policy.v1.CreateGroupRequest;
import io.headgate.proto.policy.v1.GetVaultRequest;
import io.headgate.proto.policy.v1.Group;
import io.headgate.proto.policy.v1.GroupServiceGrpc;
import io.headgate.proto.policy.v1.UpdateVaultRequest;
import io.headgate.proto.policy.v1.Vault;
import io.headgate.proto.policy.v1.VaultServiceGrpc;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// Variables of vaults and signing keys lie sealed in the database.
class SealedValuesTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @Order(2)
  @RegisterExtension
  static final PolicyFixture POLICY = PolicyFixture.of(POSTGRES);

  @TempDir Path directory;

  private static Vault vault(String value) {
    return Vault.newBuilder()
        .putEnvironment("TOKEN", value)
        .putEnvironment("PROXY", "http://proxy")
        .build();
  }

  private static Vault get(Acme acme, String id) {
    return VaultServiceGrpc.newBlockingStub(acme.admin())
        .getVault(GetVaultRequest.newBuilder().setName(acme.parent() + "/vaults/" + id).build());
  }

  private static Vault update(Acme acme, Vault vault, String field) {
    return VaultServiceGrpc.newBlockingStub(acme.admin())
        .updateVault(
            UpdateVaultRequest.newBuilder()
                .setVault(vault)
                .setUpdateMask(FieldMask.newBuilder().addPaths(field))
                .build());
  }

  private static void move(Acme from, Acme to, String vault, String name) {
    PostgresFixture.execute(
        POSTGRES.config(),
        """
        update vault_environment set value = (
          select value from vault_environment
          where tenant_id = ? and vault_id = 'rnd' and name = 'TOKEN')
        where tenant_id = ? and vault_id = ? and name = ?\
        """,
        from.id(),
        to.id(),
        vault,
        name);
  }

  @Test
  void aMovedVariableIsUnreadableThereAndNowhereElse() {
    Acme acme = Acme.found(POLICY);
    Acme other = Acme.found(POLICY);
    for (Acme each : List.of(acme, other)) {
      each.group("rnd", "ada");
      each.group("ops", "linus");
      each.vault("rnd", vault("secret-of-" + each.id()).toBuilder().addGroups("rnd").build());
      each.vault("ops", vault("secret-of-ops").toBuilder().addGroups("ops").build());
    }
    // To another tenant, to another vault, to another variable.
    move(acme, other, "rnd", "TOKEN");
    move(acme, acme, "ops", "TOKEN");
    move(acme, acme, "rnd", "PROXY");

    assertThat(get(other, "rnd").getUnreadableVariablesList()).containsExactly("TOKEN");
    assertThat(get(other, "rnd").getEnvironmentMap()).containsOnlyKeys("PROXY");
    assertThat(get(acme, "ops").getUnreadableVariablesList()).containsExactly("TOKEN");
    assertThat(get(acme, "rnd").getUnreadableVariablesList()).containsExactly("PROXY");
    assertThat(get(acme, "rnd").getEnvironmentMap())
        .containsEntry("TOKEN", "secret-of-" + acme.id());
    assertThat(get(other, "ops").getUnreadableVariablesList()).isEmpty();
    assertThat(other.configuration().toString()).doesNotContain("secret-of-" + acme.id());

    Vault described = get(other, "rnd").toBuilder().setDescription("new").build();
    assertThat(PolicyFixture.refusal(() -> update(other, described, "description")).message())
        .as("a change that would erase the variable")
        .contains("unreadable_variables");
    Vault repaired =
        get(other, "rnd").toBuilder()
            .clearUnreadableVariables()
            .putEnvironment("TOKEN", "again")
            .build();
    assertThat(update(other, repaired, "environment")).isEqualTo(repaired);
    assertThat(get(other, "rnd")).isEqualTo(repaired);
  }

  @Test
  void nothingOfAVaultIsInTheAuditLog() {
    Acme acme = Acme.found(POLICY);
    acme.group("rnd", "ada");
    Vault made = acme.vault("rnd", vault("first-secret"));
    update(acme, made.toBuilder().putEnvironment("TOKEN", "second-secret").build(), "environment");
    String log =
        POSTGRES
            .database()
            .jooq()
            .fetch("select * from audit_log where tenant_id = ?", acme.id())
            .toString();
    assertThat(log).contains("environment.TOKEN", "(hidden)").doesNotContain("-secret");
  }

  @Test
  void theFirstStartSealsWhatAnEarlierVersionStored() throws Exception {
    DatabaseConfig database = POSTGRES.before("8");
    byte[] key = new byte[32];
    key[0] = 7;
    Path secrets = Files.createDirectories(directory.resolve("secrets"));
    Path file = secrets.resolve(KeyFile.NAME);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(file, Base64.getEncoder().encodeToString(key) + "\n");
    ECKey signing = new ECKeyGenerator(Curve.P_256).keyID("k1").generate();
    PostgresFixture.execute(
        database,
        """
        insert into signing_keys (signing_key_id, public_jwk, sealed_private, created_at, active_from)
        values ('k1', ?, ?, ?::timestamptz, ?::timestamptz)\
        """,
        signing.toPublicJWK().toJSONString(),
        formerly(signing.toJSONString(), key),
        TestClock.START.toString(),
        TestClock.START.toString());
    PostgresFixture.execute(
        database,
        "insert into tenants (tenant_id, display_name, created_at) values ('acme', '', now())");
    PostgresFixture.execute(
        database,
        """
        insert into vaults (tenant_id, vault_id, images, image_required, digest_required, commands,
          description) values ('acme', 'rnd', '{}', false, false, '{}', '')\
        """);
    PostgresFixture.execute(
        database, "insert into vault_environment values ('acme', 'rnd', 'TOKEN', 'open-secret')");
    PostgresFixture.execute(
        database,
        """
        insert into request_log (caller, method, request_id, request_sha256, answer, created_at)
        values ('ada', 'Create', '1', 'x', 'open-secret'::bytea, now())\
        """);

    Files.move(file, directory.resolve("away"));
    assertThatThrownBy(() -> open(database, secrets))
        .isInstanceOf(CannotStartException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("which is absent: put it back");
    assertThat(file).doesNotExist();
    Files.move(directory.resolve("away"), file);

    try (PolicyService service = open(database, secrets);
        Database owner = Database.open(database.asOwner())) {
      service.start();
      assertThat(owner.jooq().fetch("select * from signing_keys").toString()).contains("k1");
      for (String open :
          List.of(
              "vault_environment where open_value is not null",
              "request_log where open_answer is not null",
              "signing_keys where open_private is not null")) {
        assertThat(owner.jooq().fetch("select * from " + open)).as(open).isEmpty();
      }
      byte[] value =
          owner.jooq().fetchSingle("select value from vault_environment").get(0, byte[].class);
      assertThat(new String(value, StandardCharsets.ISO_8859_1)).doesNotContain("open-secret");
    }
    // The next start opens the sealed values.
    try (PolicyService again = open(database, secrets)) {
      again.start();
    }
  }

  @Test
  void whatTheFirstStartSealedIsReadAsBefore() {
    Acme acme = Acme.found(POLICY);
    acme.group("rnd", "ada");
    Vault made = acme.vault("rnd", vault("of-before"));
    CreateGroupRequest request =
        CreateGroupRequest.newBuilder()
            .setParent(acme.parent())
            .setGroupId("ops")
            .setGroup(Group.getDefaultInstance())
            .setRequestId("once")
            .build();
    Group first = GroupServiceGrpc.newBlockingStub(acme.admin()).createGroup(request);
    try (Database owner = Database.open(POSTGRES.config().asOwner())) {
      Seal seal = DataKeyTable.seal(owner, new KeyFile(POLICY.secrets()), TimeSource.system());
      String own = "vault_environment where tenant_id = '" + acme.id() + "'";
      reopen(owner, seal, own, "value", "tenant_id", "vault_id", "name");
      reopen(owner, seal, "service_secrets", "value", "name");
      reopen(owner, seal, "request_log", "answer", "caller", "method", "request_id");
      POLICY.restart();
      assertThat(owner.jooq().fetch("select * from vault_environment where value is null"))
          .isEmpty();
    }
    String admin = POLICY.key(acme.parent() + "/users/admin");
    Channel again = POLICY.channel(POLICY.exchange(admin));
    assertThat(
            VaultServiceGrpc.newBlockingStub(again)
                .getVault(GetVaultRequest.newBuilder().setName(made.getName()).build()))
        .isEqualTo(made);
    assertThat(GroupServiceGrpc.newBlockingStub(again).createGroup(request)).isEqualTo(first);
  }

  /// Stores values as an earlier version did.
  ///
  /// @param rows a table, and perhaps a condition: other tests break values of their tenants
  private static void reopen(Database owner, Seal seal, String rows, String column, String... key) {
    String table = rows.split(" ", 2)[0];
    String keys = String.join(", ", key);
    var found = owner.jooq().fetch("select %s, %s from %s".formatted(keys, column, rows));
    found.removeIf(row -> row.get(column) == null);
    assertThat(found).isNotEmpty();
    for (var row : found) {
      List<String> place = new ArrayList<>();
      for (String each : key) {
        place.add(row.get(each, String.class));
      }
      byte[] plain =
          seal.open(row.get(column, byte[].class), new SealedPlace(table, column, place));
      List<Object> values = new ArrayList<>();
      values.add(
          table.equals("vault_environment") ? new String(plain, StandardCharsets.UTF_8) : plain);
      values.addAll(place);
      owner
          .jooq()
          .execute(
              "update %s set %s = null, open_%2$s = ? where (%s) = (%s)"
                  .formatted(
                      table, column, keys, String.join(", ", Collections.nCopies(key.length, "?"))),
              values.toArray());
    }
  }

  private static PolicyService open(DatabaseConfig database, Path secrets) {
    return new PolicyService(
        PolicyServiceConfig.of(
            database, ChannelConfig.of(URI.create("http://127.0.0.1:1")), secrets),
        Telemetry.disabled(),
        new TestClock());
  }

  /// The form of earlier versions: version, id of the key, nonce, ciphertext with its tag.
  private static byte[] formerly(String plain, byte[] key) throws Exception {
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(key);
    byte[] nonce = HexFormat.of().parseHex("000102030405060708090a0b");
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(
        Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"), new GCMParameterSpec(128, nonce));
    cipher.updateAAD("signing_keys/k1".getBytes(StandardCharsets.UTF_8));
    byte[] sealed = cipher.doFinal(plain.getBytes(StandardCharsets.UTF_8));
    return ByteBuffer.allocate(1 + 8 + nonce.length + sealed.length)
        .put((byte) 1)
        .put(digest, 0, 8)
        .put(nonce)
        .put(sealed)
        .array();
  }
}
