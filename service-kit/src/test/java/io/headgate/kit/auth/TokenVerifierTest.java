package io.headgate.kit.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import io.grpc.Status;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.failure.RefusalException;
import io.headgate.kit.testing.TestClock;
import io.headgate.kit.testing.TestTokens;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TokenVerifierTest {
  private static final TestClock CLOCK = new TestClock();
  private static final TestTokens TOKENS = TestTokens.create(CLOCK);
  private static final ECKey STRANGER = ecKey(TOKENS.key().getKeyID());

  private final TestClock clock = new TestClock();
  private final TestTokens tokens = TestTokens.create(clock);

  record Case(String name, String token) {
    @Override
    public String toString() {
      return name;
    }
  }

  @Test
  void readsBackWhatTheSignerStated() {
    Principal node =
        Principal.node("tenants/acme/nodes/gpu-1", "acme", "gpu-1", Map.of("pool", "onprem"));
    Principal member =
        Principal.ofTenant(
            "tenants/acme/users/ada", Role.MEMBER, "acme", List.of("ai-dev", "research"));
    assertThat(tokens.verifier().verify(tokens.token(node))).isEqualTo(node);
    assertThat(tokens.verifier().verify(tokens.token(member))).isEqualTo(member);
  }

  @Test
  void acceptsAnExpiredTokenOnlyWithinTheSkew() {
    String token = tokens.operator();
    clock.advance(Duration.ofMinutes(10).plusSeconds(29));
    assertThat(tokens.verifier().verify(token).role()).isEqualTo(Role.PLATFORM_OPERATOR);
    clock.advance(Duration.ofSeconds(1));
    assertThat(refusal(tokens.verifier(), token).reason()).isEqualTo("TOKEN_EXPIRED");
  }

  @Test
  void acceptsATokenFromTheFutureOnlyWithinTheSkew() {
    String token = tokens.operator();
    clock.setWall(TestClock.START.minusSeconds(30));
    assertThat(tokens.verifier().verify(token).role()).isEqualTo(Role.PLATFORM_OPERATOR);
    clock.setWall(TestClock.START.minusSeconds(31));
    assertThat(refusal(tokens.verifier(), token).reason()).isEqualTo("TOKEN_INVALID");
  }

  @Test
  void checksASignatureOnceAMinute() {
    AtomicInteger looks = new AtomicInteger();
    KeySource counted =
        id -> {
          looks.incrementAndGet();
          return tokens.keys().find(id);
        };
    TokenVerifier verifier = new TokenVerifier(TokenRules.DEFAULTS, counted, clock);
    String token = tokens.operator();
    verifier.verify(token);
    clock.advance(Duration.ofSeconds(59));
    verifier.verify(token);
    assertThat(looks).hasValue(1);
    clock.advance(Duration.ofSeconds(1));
    verifier.verify(token);
    assertThat(looks).as("a withdrawn key is noticed").hasValue(2);
  }

  @Test
  void callsATokenRecentOnlyWhileItNeedNotCheckIt() {
    TokenVerifier verifier = tokens.verifier();
    String token = tokens.operator();
    assertThat(verifier.recent(token)).isEmpty();
    assertThat(verifier.checkAnew(token)).map(Principal::subject).contains("operators/root");
    assertThat(verifier.recent(token)).isPresent();
    clock.advance(Duration.ofSeconds(55));
    assertThat(verifier.recent(token)).as("it is checked soon").isEmpty();
    assertThat(verifier.checkAnew(token)).as("so it is checked now").isPresent();
    assertThat(verifier.recent(token)).isPresent();
    assertThat(verifier.checkAnew("nonsense")).isEmpty();
  }

  @Test
  void noticesTheEndOfATokenThatItRemembers() {
    String token = tokens.operator();
    TokenVerifier verifier = tokens.verifier();
    clock.advance(Duration.ofMinutes(10).plusSeconds(20));
    verifier.verify(token);
    clock.advance(Duration.ofSeconds(10));
    assertThat(refusal(verifier, token).reason()).isEqualTo("TOKEN_EXPIRED");
  }

  @Test
  void saysThatItCannotJudgeWithoutKeys() {
    KeySource away =
        _ -> {
          throw new KeysUnavailableException(new IllegalStateException("down"));
        };
    TokenVerifier verifier = new TokenVerifier(TokenRules.DEFAULTS, away, clock);
    assertThat(refusal(verifier, tokens.operator()).code()).isEqualTo(Status.Code.UNAVAILABLE);
  }

  @ParameterizedTest
  @MethodSource
  void refuses(Case hostile) {
    Refusal refusal = refusal(TOKENS.verifier(), hostile.token());
    assertThat(refusal.code()).isEqualTo(Status.Code.UNAUTHENTICATED);
    assertThat(refusal.reason()).isEqualTo("TOKEN_INVALID");
    assertThat(refusal.message()).as("no oracle").endsWith("log in again");
  }

  static Stream<Case> refuses() throws Exception {
    ECKey key = TOKENS.key();
    return Stream.of(
        new Case("nothing", ""),
        new Case("words", "not a token"),
        new Case("two parts", "a.b"),
        new Case("far too long", "a".repeat(5000)),
        new Case("alg none", new PlainJWT(claims(UnaryOperator.identity())).serialize()),
        new Case("HS256 with the public key", hmacWithPublicKey(key)),
        new Case("another key of the same id", signed(header(UnaryOperator.identity()), STRANGER)),
        new Case("unknown key id", signed(header(h -> h.keyID("other")), key)),
        new Case("key id is a path", signed(header(h -> h.keyID("../../dev/null")), key)),
        new Case("no key id", signed(header(h -> h.keyID(null)), key)),
        new Case("another type", signed(header(h -> h.type(JOSEObjectType.JWT)), key)),
        new Case("no type", signed(header(h -> h.type(null)), key)),
        new Case("key inside", signed(header(h -> h.jwk(STRANGER.toPublicJWK())), STRANGER)),
        new Case(
            "key at a URL",
            signed(header(h -> h.jwkURL(URI.create("http://localhost/keys"))), STRANGER)),
        new Case(
            "critical parameter",
            signed(header(h -> h.criticalParams(Set.of("exp")).customParam("exp", 1)), key)),
        new Case("changed payload", tampered(key)));
  }

  @ParameterizedTest
  @MethodSource
  void refusesClaims(Case hostile) {
    assertThat(refusal(TOKENS.verifier(), hostile.token()).reason()).isEqualTo("TOKEN_INVALID");
  }

  static Stream<Case> refusesClaims() {
    Date late = Date.from(TestClock.START.plus(Duration.ofDays(3650)));
    return Stream.of(
        claim("another issuer", c -> c.issuer("elsewhere")),
        claim("no issuer", c -> c.issuer(null)),
        claim("another audience", c -> c.audience("other")),
        claim("an audience among others", c -> c.audience(List.of("headgate", "other"))),
        claim("no audience", c -> c.audience((String) null)),
        claim("no expiry", c -> c.expirationTime(null)),
        claim("no time of issue", c -> c.issueTime(null)),
        claim("lives for years", c -> c.expirationTime(late)),
        claim("start time in the future", c -> c.notBeforeTime(late)),
        claim("no subject", c -> c.subject(null)),
        claim("no role", c -> c.claim("role", null)),
        claim("unknown role", c -> c.claim("role", "god")),
        claim("role is a list", c -> c.claim("role", List.of("member"))),
        claim("member without tenant", c -> c.claim("tenant", null)),
        claim("operator with tenant", c -> c.claim("role", "platform-operator")));
  }

  private static Case claim(String name, UnaryOperator<JWTClaimsSet.Builder> change) {
    return new Case(name, signed(header(UnaryOperator.identity()), claims(change), TOKENS.key()));
  }

  private static Refusal refusal(TokenVerifier verifier, String token) {
    RefusalException refused =
        catchThrowableOfType(RefusalException.class, () -> verifier.verify(token));
    assertThat(refused).as("the token is refused").isNotNull();
    return refused.refusal();
  }

  private static JWSHeader header(UnaryOperator<JWSHeader.Builder> change) {
    return change
        .apply(
            new JWSHeader.Builder(JWSAlgorithm.ES256)
                .type(new JOSEObjectType("at+jwt"))
                .keyID(TOKENS.key().getKeyID()))
        .build();
  }

  private static JWTClaimsSet claims(UnaryOperator<JWTClaimsSet.Builder> change) {
    return change
        .apply(
            new JWTClaimsSet.Builder()
                .issuer("headgate")
                .audience("headgate")
                .subject("tenants/acme/users/mallory")
                .claim("role", "member")
                .claim("tenant", "acme")
                .issueTime(Date.from(TestClock.START))
                .expirationTime(Date.from(TestClock.START.plusSeconds(600))))
        .build();
  }

  private static String signed(JWSHeader header, ECKey key) {
    return signed(header, claims(UnaryOperator.identity()), key);
  }

  private static String signed(JWSHeader header, JWTClaimsSet claims, ECKey key) {
    try {
      return sign(new SignedJWT(header, claims), new ECDSASigner(key));
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String hmacWithPublicKey(ECKey key) throws JOSEException {
    byte[] publicKey =
        ("-----BEGIN PUBLIC KEY-----\n"
                + Base64.getMimeEncoder().encodeToString(key.toECPublicKey().getEncoded())
                + "\n-----END PUBLIC KEY-----\n")
            .getBytes(StandardCharsets.US_ASCII);
    JWSHeader header =
        new JWSHeader.Builder(JWSAlgorithm.HS256)
            .type(new JOSEObjectType("at+jwt"))
            .keyID(key.getKeyID())
            .build();
    return sign(new SignedJWT(header, claims(UnaryOperator.identity())), new MACSigner(publicKey));
  }

  private static String tampered(ECKey key) {
    String[] parts = signed(header(UnaryOperator.identity()), key).split("\\.");
    String payload = new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8);
    String changed =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(
                payload.replace("\"acme\"", "\"evil\"").getBytes(StandardCharsets.UTF_8));
    return parts[0] + "." + changed + "." + parts[2];
  }

  private static String sign(SignedJWT token, JWSSigner signer) throws JOSEException {
    token.sign(signer);
    return token.serialize();
  }

  private static ECKey ecKey(String id) {
    try {
      return new ECKeyGenerator(Curve.P_256).keyID(id).generate();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }
}
