package io.headgate.scheduler.runtime;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// When a candidate tries to take the row of leadership. A function of what it sees; the row's own
/// condition is checked again by the statement that takes it, so a wrong view costs a statement.
///
/// - When the lease has run out, or nobody holds it.
/// - When the holder left the group *and* missed a renewal. A holder that renewed although it left
///   is alive, and the group is what broke: then only the lease counts. So a group that falls apart
///   while the database is reachable changes nobody's leadership.
///
/// Several candidates try one after the other, the oldest member first.
///
/// Example: renewals every 1 s, missed after 2 s, lease 10 s. The leader dies 0.4 s after a renewal
/// and the group sees it at once: the oldest candidate tries 2 s after that renewal, the next one
/// 0.2 s later. Without a group both try 10 s after it.
final class ElectionRule {
  /// So much later tries the next in line: the first needs milliseconds.
  static final Duration APART = Duration.ofMillis(200);

  private ElectionRule() {}

  /// What a candidate sees.
  ///
  /// @param holder who leads, as the row says
  /// @param leaseLeft by the database's clock; negative: over for so long
  /// @param silence since the holder's last renewal, by the database's clock
  record Sight(
      String self, Optional<String> holder, Duration leaseLeft, Duration silence, Group group) {}

  /// What to do.
  sealed interface Move {
    /// Take the row.
    ///
    /// @param holderLost also before the lease is over
    record Try(boolean holderLost) implements Move {}

    /// Look again when the group changes, at the latest after this time.
    record Wait(Duration atMost) implements Move {}
  }

  /// @param renewal how often a leader renews its lease
  static Move decide(Sight sight, Duration renewal) {
    Duration behind = APART.multipliedBy(rank(sight));
    Duration untilOver = sight.leaseLeft().plus(behind);
    if (!untilOver.isPositive()) {
      return new Move.Try(false);
    }
    Optional<Duration> untilMissed =
        sight
            .holder()
            .filter(holder -> isLost(sight, holder, renewal))
            .map(_ -> missed(renewal).minus(sight.silence()).plus(behind));
    if (untilMissed.isEmpty()) {
      return new Move.Wait(untilOver);
    }
    return untilMissed.get().isPositive()
        ? new Move.Wait(shorter(untilMissed.get(), untilOver))
        : new Move.Try(true);
  }

  /// Silence after which a renewal was missed: it was due a whole interval ago, so a slow database
  /// does not look like a dead leader.
  static Duration missed(Duration renewal) {
    return renewal.multipliedBy(2);
  }

  /// Whether the holder left and was not heard of in the database since. What it sent just before
  /// it died may still have been committed a moment later.
  static boolean isLost(Sight sight, String holder, Duration renewal) {
    Optional<Duration> gone = Optional.ofNullable(sight.group().goneFor().get(holder));
    return gone.isPresent() && gone.get().minus(sight.silence()).compareTo(renewal) <= 0;
  }

  private static int rank(Sight sight) {
    List<String> candidates =
        sight.group().present().stream()
            .filter(name -> sight.holder().filter(name::equals).isEmpty())
            .toList();
    // Alone, or not in the group yet: nobody is waited for.
    return Math.max(0, candidates.indexOf(sight.self()));
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
