package io.headgate.kit.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.grpc.Status;
import io.headgate.kit.auth.VerifiedTokens.Verified;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.failure.RefusalException;
import io.headgate.kit.time.TimeSource;
import java.security.interfaces.ECPublicKey;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Verifies tokens. It accepts only ES256 signatures by a key of the issuer, the right type, issuer
/// and audience, and a lifetime that includes now and is not too long. It never uses a key from a
/// token's header. Thread-safe.
public final class TokenVerifier {
  private static final Logger LOG = LoggerFactory.getLogger(TokenVerifier.class);

  /// How keys begin: callers send them where a token is wanted.
  private static final String KEY = "hg_";

  private static final int MAX_LENGTH = 4096;

  private final TokenRules rules;
  private final KeySource keys;
  private final TimeSource time;
  private final VerifiedTokens known;
  private final Revocations revocations;

  /// A verifier to which no token is revoked before its end.
  public TokenVerifier(TokenRules rules, KeySource keys, TimeSource time) {
    this(rules, keys, time, Revocations.ofIssuer(time));
  }

  public TokenVerifier(TokenRules rules, KeySource keys, TimeSource time, Revocations revocations) {
    this.revocations = revocations;
    this.rules = rules;
    this.keys = keys;
    this.time = time;
    this.known = new VerifiedTokens(time);
  }

  /// A verifier that accepts no token.
  public static TokenVerifier refusingAll() {
    return new TokenVerifier(TokenRules.DEFAULTS, _ -> Optional.empty(), TimeSource.system());
  }

  /// The bearer of `token`.
  ///
  /// @throws RefusalException UNAUTHENTICATED with reason TOKEN_INVALID, TOKEN_EXPIRED or
  ///   TOKEN_REVOKED, or UNAVAILABLE without keys
  public Principal verify(String token) {
    if (token.startsWith(KEY)) {
      throw Refusal.of(
              Status.Code.UNAUTHENTICATED,
              "TOKEN_INVALID",
              "this is a key, and not a token: exchange it by POST /v1/tokens:exchange with"
                  + " {\"key\": KEY}, and send the token of the answer as Bearer")
          .exception();
    }
    try {
      if (token.length() > MAX_LENGTH) {
        throw new IllegalArgumentException("longer than " + MAX_LENGTH);
      }
      Verified verified = known.find(token).orElse(null);
      if (verified == null) {
        verified = judge(token);
        known.remember(token, verified);
      }
      requireUnexpired(verified.expires());
      revocations.requireUnrevoked(verified.principal());
      return verified.principal();
    } catch (KeysUnavailableException e) {
      LOG.debug("a token cannot be verified: {}", e.toString());
      throw cannotVerify().exception();
    } catch (ParseException | JOSEException | IllegalArgumentException e) {
      // The exact cause goes to the log only; in the answer it would help an attacker who forges
      // tokens.
      LOG.debug("a token was refused: {}", e.toString());
      throw Refusal.of(
              Status.Code.UNAUTHENTICATED,
              "TOKEN_INVALID",
              "the token is not one that this server accepts: log in again")
          .exception();
    }
  }

  /// The refusal of a token that cannot be verified now: the caller may try again.
  public static Refusal cannotVerify() {
    return Refusal.unavailable(
        "KEYS_UNAVAILABLE", "tokens cannot be verified now", Duration.ofSeconds(1));
  }

  /// Why `token` is refused; empty: it is good. See [#verify].
  public Optional<Refusal> refusal(String token) {
    try {
      var _ = verify(token);
      return Optional.empty();
    } catch (RefusalException e) {
      return Optional.of(e.refusal());
    }
  }

  /// Whether the key that `token` names is [at hand][KeySource#isAtHand]. A malformed token needs
  /// no other key either. Does not block, and verifies nothing.
  public boolean isKeyAtHand(String token) {
    int end = token.indexOf('.');
    if (end < 0 || token.length() > MAX_LENGTH) {
      return true;
    }
    try {
      String id = JWSHeader.parse(new Base64URL(token.substring(0, end))).getKeyID();
      return id == null || keys.isAtHand(id);
    } catch (ParseException | RuntimeException e) {
      return true;
    }
  }

  /// Refuses a privileged call while it is unknown whether the caller's rights were withdrawn.
  ///
  /// @throws RefusalException UNAVAILABLE with reason REVOCATIONS_UNKNOWN
  void requireNews() {
    revocations.requireNews();
  }

  /// The bearer of `token` if a recent verification is cached. [#verify] then answers without
  /// blocking, now and for some seconds.
  public Optional<Principal> recent(String token) {
    return known.findLasting(token).map(Verified::principal);
  }

  /// Verifies a token again, so that a good token becomes a [recent][#recent] one.
  ///
  /// @return the bearer; empty: the token could not be verified, and [#verify] gives the reason
  public Optional<Principal> checkAnew(String token) {
    try {
      if (token.length() > MAX_LENGTH) {
        return Optional.empty();
      }
      Verified verified = judge(token);
      known.remember(token, verified);
      return Optional.of(verified.principal());
    } catch (KeysUnavailableException
        | ParseException
        | JOSEException
        | IllegalArgumentException e) {
      LOG.debug("a token is invalid: {}", e.toString());
      return Optional.empty();
    }
  }

  private Verified judge(String token) throws ParseException, JOSEException {
    SignedJWT jwt = SignedJWT.parse(token);
    requireHeader(jwt.getHeader());
    requireSignature(jwt);
    JWTClaimsSet claims = jwt.getJWTClaimsSet();
    Instant expires = requireClaims(claims);
    return new Verified(TokenFormat.principal(claims), expires);
  }

  private static void requireHeader(JWSHeader header) {
    require(TokenFormat.ALGORITHM.equals(header.getAlgorithm()), "algorithm");
    require(TokenFormat.TYPE.equals(header.getType()), "type");
    require(header.getKeyID() != null, "key id");
    require(header.getCriticalParams() == null, "critical parameters");
    require(
        header.getJWK() == null
            && header.getJWKURL() == null
            && header.getX509CertURL() == null
            && header.getX509CertChain() == null,
        "embedded key");
  }

  private void requireSignature(SignedJWT jwt) throws JOSEException {
    Optional<ECPublicKey> key = keys.find(jwt.getHeader().getKeyID());
    require(key.isPresent(), "unknown key");
    require(jwt.verify(new ECDSAVerifier(key.orElseThrow())), "wrong signature");
  }

  /// Checks all claims but the expiry, which it returns.
  private Instant requireClaims(JWTClaimsSet claims) {
    require(rules.issuer().equals(claims.getIssuer()), "issuer");
    require(List.of(rules.audience()).equals(claims.getAudience()), "audience");
    Date expires = claims.getExpirationTime();
    Date issued = claims.getIssueTime();
    require(expires != null && issued != null, "missing time");
    Instant latest = time.instant().plus(rules.clockSkew());
    require(!issued.toInstant().isAfter(latest), "issue time in the future");
    Date notBefore = claims.getNotBeforeTime();
    require(
        notBefore == null || !notBefore.toInstant().isAfter(latest), "start time in the future");
    Duration lifetime = Duration.between(issued.toInstant(), expires.toInstant());
    require(lifetime.compareTo(rules.maxLifetime()) <= 0, "lifetime");
    return expires.toInstant();
  }

  private void requireUnexpired(Instant expires) {
    if (!time.instant().isBefore(expires.plus(rules.clockSkew()))) {
      throw Refusal.of(
              Status.Code.UNAUTHENTICATED, "TOKEN_EXPIRED", "the token has expired: get a new one")
          .withMetadata("expiredAt", expires)
          .exception();
    }
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalArgumentException("refused for its " + what);
    }
  }
}
