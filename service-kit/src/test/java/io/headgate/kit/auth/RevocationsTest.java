package io.headgate.kit.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.Status;
import io.headgate.kit.auth.Revocations.News;
import io.headgate.kit.auth.Revocations.Revocation;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.failure.RefusalException;
import io.headgate.kit.position.WatchPosition;
import io.headgate.kit.testing.TestClock;
import io.headgate.kit.testing.TestTokens;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class RevocationsTest {
  private static final String ADA = "tenants/acme/users/ada";

  private final TestClock clock = new TestClock();
  private final TestTokens tokens = TestTokens.create(clock);
  private final Revocations revocations = Revocations.followed(clock);
  private final TokenVerifier verifier =
      new TokenVerifier(TokenRules.DEFAULTS, tokens.keys(), clock, revocations);

  @Test
  void aRevokedKeyEndsItsTokensAndNoOthers() {
    String first = token("k1", 5);
    String second = token("k2", 5);
    assertThat(verifier.verify(first).subject()).isEqualTo(ADA);
    revoke(6, "keys/k1");
    assertThat(refusal(first).code()).isEqualTo(Status.Code.UNAUTHENTICATED);
    assertThat(refusal(first).reason()).isEqualTo("TOKEN_REVOKED");
    assertThat(verifier.verify(second).subject()).isEqualTo(ADA);
  }

  @Test
  void aRevokedSubjectsNextTokenIsGood() {
    String before = token("k1", 7);
    revoke(8, ADA);
    assertThat(refusal(before).reason()).isEqualTo("TOKEN_REVOKED");
    assertThat(verifier.verify(token("k1", 8)).subject()).isEqualTo(ADA);
  }

  @Test
  void aTenantEndsWithAllItsTokens() {
    String token = token("k1", 1);
    revoke(2, "tenants/other");
    assertThat(verifier.verify(token).subject()).isEqualTo(ADA);
    revoke(3, "tenants/acme");
    assertThat(refusal(token).reason()).isEqualTo("TOKEN_REVOKED");
  }

  @Test
  void aTokenWithoutAStampCountsAsMadeBefore() {
    String token = tokens.member("acme", "ada");
    assertThat(verifier.verify(token).subject()).isEqualTo(ADA);
    revoke(2, ADA);
    assertThat(refusal(token).reason()).isEqualTo("TOKEN_REVOKED");
  }

  @Test
  void numbersOfAnotherIncarnationMeanNothing() {
    revoke(3, ADA);
    String restored =
        tokens.token(new TokenStamp("k1", new WatchPosition("restored", 2)).on(ada()));
    assertThat(refusal(restored).reason()).isEqualTo("TOKEN_REVOKED");
    revocations.apply(new News(new WatchPosition("restored", 2), true, List.of()));
    assertThat(verifier.verify(restored).subject()).isEqualTo(ADA);
  }

  @Test
  void onlyAMinuteOfSilenceIsBorne() {
    verifier.requireNews();
    clock.advance(Duration.ofSeconds(60));
    verifier.requireNews();
    clock.advance(Duration.ofSeconds(1));
    Refusal refusal = catchThrowableOfType(RefusalException.class, verifier::requireNews).refusal();
    assertThat(refusal.code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(refusal.reason()).isEqualTo("REVOCATIONS_UNKNOWN");
    assertThat(refusal.message()).contains("61 s");
    revocations.apply(new News(new WatchPosition("first", 1), false, List.of()));
    verifier.requireNews();
  }

  @Test
  void revocationsOfExpiredTokensAreForgotten() {
    revoke(2, "keys/k1");
    String token = token("k1", 1);
    clock.advance(Duration.ofMinutes(31));
    revoke(3, "keys/k9");
    // The token has expired long before; only the memory is at stake.
    assertThat(refusal(token).reason()).isEqualTo("TOKEN_EXPIRED");
    assertThat(verifier.verify(token("k1", 1)).subject()).isEqualTo(ADA);
  }

  private void revoke(long version, String name) {
    revocations.apply(
        new News(
            new WatchPosition("first", version), false, List.of(new Revocation(version, name))));
  }

  private String token(String key, long version) {
    return tokens.token(new TokenStamp(key, new WatchPosition("first", version)).on(ada()));
  }

  private static Principal ada() {
    return Principal.ofTenant(ADA, Role.MEMBER, "acme", List.of());
  }

  private Refusal refusal(String token) {
    return catchThrowableOfType(RefusalException.class, () -> verifier.verify(token)).refusal();
  }
}
