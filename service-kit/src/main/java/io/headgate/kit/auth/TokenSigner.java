package io.headgate.kit.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jwt.SignedJWT;
import io.headgate.kit.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.UUID;

/// Signs tokens with one private key, for the issuer and for tests. Thread-safe.
public final class TokenSigner {
  private final ECKey key;
  private final TokenRules rules;
  private final TimeSource time;

  /// @param key a P-256 key pair with a key id
  public TokenSigner(ECKey key, TokenRules rules, TimeSource time) {
    if (!key.isPrivate() || key.getKeyID() == null) {
      throw new IllegalArgumentException("a signing key is private and has an id");
    }
    this.key = key;
    this.rules = rules;
    this.time = time;
  }

  /// A token and its expiry.
  public record Signed(String token, Instant expires) {}

  /// A token that identifies its bearer as `principal`, valid from now for `lifetime`.
  public Signed sign(Principal principal, Duration lifetime) {
    if (lifetime.compareTo(rules.maxLifetime()) > 0) {
      throw new IllegalArgumentException(lifetime + " is above " + rules.maxLifetime());
    }
    Instant now = time.instant();
    Instant expires = now.plus(lifetime);
    SignedJWT token =
        new SignedJWT(
            new JWSHeader.Builder(TokenFormat.ALGORITHM)
                .type(TokenFormat.TYPE)
                .keyID(key.getKeyID())
                .build(),
            TokenFormat.claims(principal)
                .issuer(rules.issuer())
                .audience(rules.audience())
                .jwtID(UUID.randomUUID().toString())
                .issueTime(Date.from(now))
                .expirationTime(Date.from(expires))
                .build());
    try {
      token.sign(new ECDSASigner(key));
    } catch (JOSEException e) {
      throw new IllegalStateException("cannot sign", e);
    }
    return new Signed(token.serialize(), expires);
  }
}
