package io.headgate.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.testing.PostgresFixture;
import io.headgate.proto.policy.v1.GetVerificationKeysRequest;
import io.headgate.proto.policy.v1.ListTenantsRequest;
import io.headgate.proto.policy.v1.TenantServiceGrpc;
import io.headgate.proto.policy.v1.TokenServiceGrpc;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Date;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Tokens forged from a good one, against the real verifier with the real keys.
class HostileTokenTest {
  @Order(1)
  @RegisterExtension
  static final PostgresFixture POSTGRES = PostgresFixture.of("policy");

  @Order(2)
  @RegisterExtension
  static final PolicyFixture POLICY = PolicyFixture.of(POSTGRES);

  private interface Forgery {
    String of(SignedJWT good, ECKey stranger) throws Exception;
  }

  @Test
  void theGoodOneIsGood() throws Exception {
    String token = good().serialize();
    TenantServiceGrpc.newBlockingStub(POLICY.channel(token))
        .listTenants(ListTenantsRequest.getDefaultInstance());
  }

  @TestFactory
  Stream<DynamicTest> aForgedTokenIsRefused() {
    return Stream.of(
        forgery("unsigned", (good, _) -> new PlainJWT(good.getJWTClaimsSet()).serialize()),
        forgery("without its signature", (good, _) -> part(good, 0) + "." + part(good, 1) + "."),
        forgery("with another body", (good, _) -> swapped(good, "member", "platform-operator")),
        forgery(
            "signed by a stranger who names our key",
            (good, stranger) -> signed(good, stranger, header(good).build())),
        forgery(
            "signed by a stranger who brings the key along",
            (good, stranger) ->
                signed(good, stranger, header(good).jwk(stranger.toPublicJWK()).build())),
        forgery(
            "signed by a stranger's own key id",
            (good, stranger) -> signed(good, stranger, header(good).keyID("stranger").build())),
        forgery(
            "with a path for a key id",
            (good, stranger) ->
                signed(good, stranger, header(good).keyID("../../dev/null").build())),
        forgery("HMAC with the public key", HostileTokenTest::hmac),
        forgery("of another type", (good, stranger) -> ofType(good, stranger)),
        forgery("twice as long as allowed", (good, _) -> good.serialize() + "A".repeat(5000)),
        forgery("not a token", (_, _) -> "good.bad.ugly"));
  }

  @Test
  void theVerificationKeysHoldNothingPrivate() throws Exception {
    String json = jwks();
    assertThat(json).doesNotContain("\"d\"");
    assertThat(JWKSet.parse(json).getKeys())
        .isNotEmpty()
        .allMatch(key -> !key.isPrivate() && JWSAlgorithm.ES256.equals(key.getAlgorithm()));
  }

  @Test
  void aTokenOfTheFutureIsRefused() throws Exception {
    String token = good().serialize();
    var clock = POLICY.clock();
    var now = clock.instant();
    clock.setWall(now.minus(Duration.ofMinutes(5)));
    try {
      assertThat(refusal(token).reason()).isEqualTo("TOKEN_INVALID");
    } finally {
      clock.setWall(now);
    }
  }

  private static DynamicTest forgery(String name, Forgery forgery) {
    return DynamicTest.dynamicTest(
        name,
        () -> {
          ECKey stranger = new ECKeyGenerator(Curve.P_256).keyID("stranger").generate();
          Refusal refusal = refusal(forgery.of(good(), stranger));
          assertThat(refusal.reason()).isEqualTo("TOKEN_INVALID");
        });
  }

  private static SignedJWT good() throws Exception {
    String tenant = POLICY.tenant();
    return SignedJWT.parse(POLICY.exchange(POLICY.key("tenants/" + tenant + "/users/ada")));
  }

  private static Refusal refusal(String token) {
    return PolicyFixture.refusal(() ->
        TenantServiceGrpc.newBlockingStub(POLICY.channel(token))
            .listTenants(ListTenantsRequest.getDefaultInstance()));
  }

  private static JWSHeader.Builder header(SignedJWT good) {
    return new JWSHeader.Builder(JWSAlgorithm.ES256)
        .type(good.getHeader().getType())
        .keyID(good.getHeader().getKeyID());
  }

  private static String signed(SignedJWT good, ECKey key, JWSHeader header) throws Exception {
    JWTClaimsSet more =
        new JWTClaimsSet.Builder(good.getJWTClaimsSet())
            .expirationTime(Date.from(POLICY.clock().instant().plus(Duration.ofMinutes(9))))
            .build();
    SignedJWT forged = new SignedJWT(header, more);
    forged.sign(new ECDSASigner(key));
    return forged.serialize();
  }

  private static String ofType(SignedJWT good, ECKey stranger) throws Exception {
    return signed(good, stranger, header(good).type(JOSEObjectType.JWT).build());
  }

  /// The classic: a verifier that takes the algorithm from the token uses the public key as a
  /// shared secret.
  private static String hmac(SignedJWT good, ECKey stranger) throws Exception {
    byte[] secret = jwks().getBytes(StandardCharsets.UTF_8);
    JWSSigner signer = new MACSigner(secret);
    SignedJWT forged =
        new SignedJWT(
            new JWSHeader.Builder(JWSAlgorithm.HS256)
                .type(good.getHeader().getType())
                .keyID(good.getHeader().getKeyID())
                .build(),
            good.getJWTClaimsSet());
    forged.sign(signer);
    return forged.serialize();
  }

  private static String swapped(SignedJWT good, String word, String by) {
    String body = new String(Base64.getUrlDecoder().decode(part(good, 1)), StandardCharsets.UTF_8);
    assertThat(body).contains(word);
    String changed =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(body.replace(word, by).getBytes(StandardCharsets.UTF_8));
    return part(good, 0) + "." + changed + "." + part(good, 2);
  }

  private static String part(SignedJWT token, int index) {
    return token.serialize().split("\\.")[index];
  }

  private static String jwks() {
    return TokenServiceGrpc.newBlockingStub(POLICY.anonymous())
        .getVerificationKeys(GetVerificationKeysRequest.getDefaultInstance())
        .getJwksJson();
  }
}
