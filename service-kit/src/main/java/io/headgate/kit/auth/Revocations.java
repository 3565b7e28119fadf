package io.headgate.kit.auth;

import io.grpc.Status;
import io.headgate.kit.failure.Refusal;
import io.headgate.kit.position.WatchPosition;
import io.headgate.kit.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// The tokens that ended before their time. A revocation names a key (`keys/ID`), a subject
/// (`tenants/acme/users/ada`) or a tenant (`tenants/acme`). It ends every token that was made from
/// the name before the revocation.
///
/// The issuer counts its revocations, and a token carries the count at its making ([TokenStamp]).
/// So no clock decides: `ada` is demoted by revocation 8; her token with count 7 is refused, and
/// the token that she gets a moment later has count 8 and is accepted.
///
/// A verifier in another process follows the issuer. Without news it cannot know whether a right
/// was withdrawn. After [#LONGEST_SILENCE] it refuses privileged calls. Thread-safe; no method
/// blocks on I/O.
public final class Revocations {
  /// The longest time without news in which privileged calls are served.
  public static final Duration LONGEST_SILENCE = Duration.ofSeconds(60);

  /// Longer than any token lives, clock skew included.
  private static final Duration KEPT = Duration.ofMinutes(30);

  private static final Duration SWEPT_EVERY = Duration.ofMinutes(1);
  private static final Duration RETRY = Duration.ofSeconds(2);

  private final TimeSource time;
  private final boolean isSilenceBounded;
  private volatile Known known;
  private volatile long heardNanos;
  // Guarded by this.
  private long sweptNanos;

  /// One revocation.
  ///
  /// @param name the key, subject or tenant
  public record Revocation(long version, String name) {}

  /// News from the issuer; without revocations it says that the issuer is alive.
  ///
  /// @param isSnapshot whether this is everything, so that earlier news are void
  public record News(WatchPosition position, boolean isSnapshot, List<Revocation> revocations) {
    public News {
      revocations = List.copyOf(revocations);
    }
  }

  private record Since(long version, long heardNanos) {}

  private record Known(WatchPosition position, Map<String, Since> byName) {}

  private Revocations(TimeSource time, boolean isSilenceBounded) {
    this.time = time;
    this.isSilenceBounded = isSilenceBounded;
    this.known = new Known(WatchPosition.START, new ConcurrentHashMap<>());
    this.heardNanos = time.monotonicNanos();
    this.sweptNanos = heardNanos;
  }

  /// Revocations that another process reports. The silence is counted from now on.
  public static Revocations followed(TimeSource time) {
    return new Revocations(time, true);
  }

  /// Revocations of the issuer's own process, which every change reaches at once. The issuer looks
  /// up the caller of each write of rights as well, so silence refuses nothing.
  public static Revocations ofIssuer(TimeSource time) {
    return new Revocations(time, false);
  }

  /// The position after the last news, from which the issuer continues.
  public WatchPosition position() {
    return known.position();
  }

  /// Takes news.
  public synchronized void apply(News news) {
    long now = time.monotonicNanos();
    boolean fresh =
        news.isSnapshot() && !news.position().incarnation().equals(known.position().incarnation());
    Map<String, Since> byName = fresh ? new ConcurrentHashMap<>() : known.byName();
    for (Revocation revocation : news.revocations()) {
      byName.merge(
          revocation.name(),
          new Since(revocation.version(), now),
          (before, after) -> before.version() >= after.version() ? before : after);
    }
    if (now - sweptNanos >= SWEPT_EVERY.toNanos()) {
      sweptNanos = now;
      byName.values().removeIf(since -> now - since.heardNanos() >= KEPT.toNanos());
    }
    known = new Known(news.position(), byName);
    heardNanos = now;
  }

  /// Refuses a bearer whose token ended.
  ///
  /// @throws io.headgate.kit.failure.RefusalException UNAUTHENTICATED with reason TOKEN_REVOKED
  void requireUnrevoked(Principal bearer) {
    Known now = known;
    if (now.byName().isEmpty()) {
      return;
    }
    TokenStamp stamp = TokenStamp.of(bearer);
    long made =
        stamp.revocations().incarnation().equals(now.position().incarnation())
            ? stamp.revocations().version()
            : 0;
    String tenant = bearer.tenant();
    if (isRevoked(now, "keys/" + stamp.key(), made)
        || isRevoked(now, bearer.subject(), made)
        || (tenant != null && isRevoked(now, "tenants/" + tenant, made))) {
      throw revoked().exception();
    }
  }

  /// Refuses a privileged call after too long a silence.
  ///
  /// @throws io.headgate.kit.failure.RefusalException UNAVAILABLE with reason REVOCATIONS_UNKNOWN
  void requireNews() {
    Duration silence = silence();
    if (isSilenceBounded && silence.compareTo(LONGEST_SILENCE) > 0) {
      throw Refusal.unavailable(
              "REVOCATIONS_UNKNOWN",
              "this server has had no news from policy-service for "
                  + silence.toSeconds()
                  + " s, so it cannot tell whether your rights were withdrawn: only reads are"
                  + " answered until policy-service is back",
              RETRY)
          .withMetadata("silence", silence.toSeconds() + "s")
          .exception();
    }
  }

  /// The time since the last news.
  public Duration silence() {
    return Duration.ofNanos(Math.max(0, time.monotonicNanos() - heardNanos));
  }

  /// The refusal of a token that ended before its time.
  public static Refusal revoked() {
    return Refusal.of(
        Status.Code.UNAUTHENTICATED,
        "TOKEN_REVOKED",
        "the key, the account or the rights behind this token were withdrawn: log in again");
  }

  private static boolean isRevoked(Known known, String name, long made) {
    Since since = known.byName().get(name);
    return since != null && since.version() > made;
  }
}
