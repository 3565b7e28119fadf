package io.headgate.kit.auth;

import java.time.Duration;

/// The rules that issuer and verifiers of tokens share.
///
/// @param clockSkew tolerated difference between their clocks, at most 60 s
/// @param maxLifetime longest accepted lifetime of a token
public record TokenRules(String issuer, String audience, Duration clockSkew, Duration maxLifetime) {
  private static final Duration MOST_SKEW = Duration.ofSeconds(60);

  public static final TokenRules DEFAULTS =
      new TokenRules("headgate", "headgate", Duration.ofSeconds(30), Duration.ofMinutes(15));

  public TokenRules {
    if (clockSkew.isNegative() || clockSkew.compareTo(MOST_SKEW) > 0) {
      throw new IllegalArgumentException("clock-skew: 0s to 60s, not " + clockSkew);
    }
    if (!maxLifetime.isPositive()) {
      throw new IllegalArgumentException("max-lifetime: above zero, not " + maxLifetime);
    }
  }
}
