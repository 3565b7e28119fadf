package io.headgate.policy.core.key;

import io.headgate.kit.decision.Outcome;
import io.headgate.policy.core.Denial;
import java.time.Duration;
import java.util.Locale;

/// The lifetimes of keys and join tokens.
public final class TimeToLive {
  public static final Duration JOIN_TOKEN_DEFAULT = Duration.ofHours(1);

  private static final String FIELD = "time_to_live";
  private static final Duration SHORTEST = Duration.ofSeconds(1);
  private static final Duration JOIN_TOKEN_LONGEST = Duration.ofHours(24);
  // A request for a longer lifetime omits it, which means "until revoked".
  private static final Duration KEY_LONGEST = Duration.ofDays(3650);

  private TimeToLive() {}

  public static Outcome<Duration, Denial> ofKey(Duration asked) {
    return within(asked, KEY_LONGEST, "3650d");
  }

  public static Outcome<Duration, Denial> ofJoinToken(Duration asked) {
    return within(asked, JOIN_TOKEN_LONGEST, "24h");
  }

  private static Outcome<Duration, Denial> within(
      Duration asked, Duration longest, String longestWords) {
    return asked.compareTo(SHORTEST) < 0 || asked.compareTo(longest) > 0
        ? Outcome.denied(new Denial.OutOfRange(FIELD, words(asked), "1s", longestWords))
        : Outcome.accepted(asked);
  }

  /// `25h`, `24h1s`.
  private static String words(Duration asked) {
    return asked.toString().substring("PT".length()).toLowerCase(Locale.ROOT);
  }
}
