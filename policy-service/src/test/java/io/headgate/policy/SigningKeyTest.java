package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jwt.SignedJWT;
import io.headgate.kit.auth.JwksKeySource;
import io.headgate.kit.auth.TokenRules;
import io.headgate.kit.auth.TokenVerifier;
import io.headgate.kit.client.ChannelConfig;
import io.headgate.kit.lifecycle.CannotStartException;
import io.headgate.kit.telemetry.Telemetry;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.policy.v1.GetVerificationKeysRequest;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SigningKeyTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @Order(2)
  @RegisterExtension
  static final PolicyFixture POLICY = PolicyFixture.of(POSTGRES);

  @Test
  void aNewKeyIsPublishedBeforeItSignsAndTheOldOneVerifiesUntilItsTokensAreDead() throws Exception {
    String adminKey = POLICY.adminKeys().getLast().reveal();
    // Another service: it asks for the keys over the wire and keeps them.
    TokenVerifier elsewhere =
        new TokenVerifier(
            TokenRules.DEFAULTS,
            new JwksKeySource(SigningKeyTest::jwks, POLICY.clock()),
            POLICY.clock());
    String first = signer(POLICY.exchange(adminKey));
    POLICY.clock().advance(Duration.ofDays(31));

    String old = POLICY.exchange(adminKey);
    assertThat(signer(old)).isEqualTo(first);
    assertThat(published()).hasSize(2).contains(first);

    POLICY.clock().advance(Duration.ofMinutes(19));
    String last = POLICY.exchange(adminKey);
    assertThat(signer(last)).isEqualTo(first);
    POLICY.clock().advance(Duration.ofMinutes(1));
    String young = POLICY.exchange(adminKey);
    assertThat(signer(young)).isNotEqualTo(first);
    POLICY.clock().advance(Duration.ofMinutes(3)); // Operators' tokens live five minutes.
    assertThat(elsewhere.verify(last).subject()).isEqualTo("operators/root");
    assertThat(elsewhere.verify(young).subject()).isEqualTo("operators/root");

    POLICY.clock().advance(Duration.ofMinutes(8));
    POLICY.exchange(adminKey);
    assertThat(published()).doesNotContain(first).hasSize(1);
  }

  @Test
  void tokensOutliveARestart() {
    String token = POLICY.exchange(POLICY.adminKeys().getLast().reveal());
    POLICY.restart();
    assertThat(POLICY.service().verifier().verify(token).subject()).isEqualTo("operators/root");
    assertThat(POLICY.adminKeys()).hasSize(1);
  }

  @Test
  void replacingTheSigningKeysMakesEveryTokenVoid() {
    String adminKey = POLICY.adminKeys().getLast().reveal();
    String token = POLICY.exchange(adminKey);
    POLICY.service().replaceSigningKeys();
    assertThatThrownBy(() -> POLICY.service().verifier().verify(token))
        .hasMessageContaining("TOKEN_INVALID");
    assertThat(POLICY.service().verifier().verify(POLICY.exchange(adminKey)).subject())
        .isEqualTo("operators/root");
  }

  @Test
  void theDatabaseAloneSignsNothing() throws Exception {
    POLICY.exchange(POLICY.adminKeys().getLast().reveal());
    List<byte[]> sealed =
        POSTGRES
            .database()
            .jooq()
            .select(DSL.field("sealed_private", byte[].class))
            .from(DSL.table("signing_keys"))
            .fetch(row -> row.value1());
    assertThat(sealed).isNotEmpty();
    assertThat(sealed)
        .map(bytes -> new String(bytes, StandardCharsets.ISO_8859_1))
        .noneMatch(text -> text.contains("\"d\"") || text.contains("P-256"));
    Path key = POLICY.secrets().resolve("key-encryption-key");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
        .isEqualTo("rw-------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(POLICY.secrets())))
        .isEqualTo("rwx------");
  }

  @Test
  void aKeyThatDoesNotOpenTakesNothingFromTheOthers() throws Exception {
    POLICY.service().replaceSigningKeys();
    String adminKey = POLICY.adminKeys().getLast().reveal();
    POLICY.clock().advance(Duration.ofDays(31));
    String token = POLICY.exchange(adminKey);
    assertThat(published()).hasSize(2);
    PostgresFixture.execute(
        POSTGRES.config(),
        """
        update signing_keys set sealed_private = set_byte(sealed_private, 40,
          get_byte(sealed_private, 40) # 1)
        where active_from = (select max(active_from) from signing_keys)\
        """);
    POLICY.restart();
    assertThat(published()).containsExactly(signer(token));
    assertThat(POLICY.service().verifier().verify(token).subject()).isEqualTo("operators/root");
    assertThat(signer(POLICY.exchange(adminKey))).isEqualTo(signer(token));

    POLICY.service().replaceSigningKeys();
    assertThat(POLICY.service().verifier().verify(POLICY.exchange(adminKey)).subject())
        .isEqualTo("operators/root");
  }

  @Test
  void theKeyThatSignsMustOpen() {
    POLICY.exchange(POLICY.adminKeys().getLast().reveal());
    PostgresFixture.execute(
        POSTGRES.config(),
        "update signing_keys set sealed_private = set_byte(sealed_private, 40,"
            + " get_byte(sealed_private, 40) # 1)");
    try (PolicyService other =
        new PolicyService(
            PolicyServiceConfig.of(
                POSTGRES.config(),
                ChannelConfig.of(URI.create("http://127.0.0.1:1")),
                POLICY.secrets()),
            Telemetry.disabled(),
            POLICY.clock())) {
      assertThatThrownBy(other::start)
          .isInstanceOf(CannotStartException.class)
          .hasMessageContaining("--replace-signing-keys");
    } finally {
      POLICY.service().replaceSigningKeys();
    }
  }

  private static List<String> published() throws Exception {
    return JWKSet.parse(jwks()).getKeys().stream().map(key -> key.getKeyID()).toList();
  }

  private static String signer(String token) throws Exception {
    return SignedJWT.parse(token).getHeader().getKeyID();
  }

  private static String jwks() {
    return TokenServiceGrpc.newBlockingStub(POLICY.anonymous())
        .getVerificationKeys(GetVerificationKeysRequest.getDefaultInstance())
        .getJwksJson();
  }
}
