package io.headgate.policy;

import io.headgate.kit.client.ChannelConfig;
import io.headgate.kit.config.Default;
import io.headgate.kit.config.Setting;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.watch.WatchLimits;
import io.headgate.type.NameRule;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// Configuration of rights and identity.
public record PolicyServiceConfig(
    @Setting(meaning = "Access to PostgreSQL, with the schema `policy`.") DatabaseConfig database,
    @Setting(meaning = "Connection to pool-service, for profiles and pools.") ChannelConfig pools,
    @Setting(
            meaning =
                "Directory of the file `key-encryption-key`, apart from the database. "
                    + "Created if absent, readable by its owner only.")
        Path secretsDirectory,
    @Setting(
            meaning = "Id of a tenant that the start creates if it is missing.",
            bound = "1 to 63 lower-case letters, digits and hyphens; a letter first")
        Optional<String> defaultTenant,
    @Setting(meaning = "Lifetimes of tokens and of the keys that sign them.") TokenConfig tokens,
    @Setting(meaning = "Limits on watches of the rights.") WatchLimits watches) {

  public PolicyServiceConfig {
    defaultTenant
        .filter(tenant -> !NameRule.isValid(tenant))
        .ifPresent(tenant -> {
          throw new IllegalArgumentException(
              "default-tenant: write " + NameRule.WORDS + ", not '" + tenant + "'");
        });
  }

  /// The defaults.
  public static PolicyServiceConfig of(
      DatabaseConfig database, ChannelConfig pools, Path secretsDirectory) {
    return new PolicyServiceConfig(
        database,
        pools,
        secretsDirectory,
        Optional.empty(),
        TokenConfig.DEFAULTS,
        WatchLimits.DEFAULTS);
  }

  /// The lifetimes of tokens and of the keys that sign them.
  public record TokenConfig(
      @Setting(
              meaning =
                  "Lifetime of a token of a service account, node or service. A token that was revoked"
                      + " ends earlier.",
              bound = "10s to 10m")
          @Default("10m")
          Duration lifetime,
      @Setting(
              meaning = "Lifetime of a token of a person: a user or an operator.",
              bound = "10s to 10m")
          @Default("5m")
          Duration personLifetime,
      @Setting(meaning = "Age at which a signing key is replaced.", bound = "at least 1h")
          @Default("30d")
          Duration rotation) {
    private static final Duration LONGEST = Duration.ofMinutes(10);
    private static final Duration SHORTEST = Duration.ofSeconds(10);
    private static final Duration SHORTEST_ROTATION = Duration.ofHours(1);

    public static final TokenConfig DEFAULTS =
        new TokenConfig(LONGEST, Duration.ofMinutes(5), Duration.ofDays(30));

    public TokenConfig {
      requireLifetime("lifetime", lifetime);
      requireLifetime("person-lifetime", personLifetime);
      if (rotation.compareTo(SHORTEST_ROTATION) < 0) {
        throw new IllegalArgumentException("rotation: at least 1h, not " + rotation);
      }
    }

    /// The longest lifetime of any token.
    Duration longest() {
      return lifetime.compareTo(personLifetime) >= 0 ? lifetime : personLifetime;
    }

    private static void requireLifetime(String key, Duration lifetime) {
      if (lifetime.compareTo(SHORTEST) < 0 || lifetime.compareTo(LONGEST) > 0) {
        throw new IllegalArgumentException(key + ": 10s to 10m, not " + lifetime);
      }
    }
  }
}
