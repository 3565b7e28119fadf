package io.headgate.scheduler.runtime.leadership;

import io.headgate.scheduler.runtime.desk.LoopSettings;
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
/// - When it missed a renewal, the group does not know it as present, and its address refuses
///   connections: nobody listens there, so its process is gone. That covers leaders that die before
///   there is a group, which takes longer to form than a leader to be elected.
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
  /// @param refused whether nobody listens at the holder's address
  record Sight(
      String self,
      Optional<String> holder,
      Duration leaseLeft,
      Duration silence,
      Group group,
      boolean refused) {}

  /// Why to take the row.
  enum Grounds {
    LEASE_OVER("nobody held the lease"),
    LEFT_GROUP("the holder left the group and missed a renewal"),
    REFUSES("the holder missed a renewal and nobody listens at its address");

    final String text;

    Grounds(String text) {
      this.text = text;
    }
  }

  /// What to do.
  sealed interface Move {
    /// Take the row; if the holder is lost, also before the lease is over.
    record Try(Grounds grounds) implements Move {
      boolean holderLost() {
        return grounds != Grounds.LEASE_OVER;
      }
    }

    /// Look again when the group changes, at the latest after this time.
    record Wait(Duration atMost) implements Move {}
  }

  /// @param renewal how often a leader renews its lease
  static Move decide(Sight sight, Duration renewal) {
    Duration behind = APART.multipliedBy(rank(sight));
    Duration untilOver = sight.leaseLeft().plus(behind);
    if (!untilOver.isPositive()) {
      return new Move.Try(Grounds.LEASE_OVER);
    }
    Optional<Grounds> lost = sight.holder().flatMap(holder -> lost(sight, holder, renewal));
    Duration untilMissed = LoopSettings.missed(renewal).minus(sight.silence()).plus(behind);
    if (untilMissed.isPositive()) {
      // Then one looks whether it still listens, if that is not known to be needless.
      return new Move.Wait(shorter(untilMissed, untilOver));
    }
    return lost.isPresent() ? new Move.Try(lost.get()) : new Move.Wait(untilOver);
  }

  private static Optional<Grounds> lost(Sight sight, String holder, Duration renewal) {
    Optional<Duration> gone = Optional.ofNullable(sight.group().goneFor().get(holder));
    // What it sent just before it died may still have been committed a moment later.
    if (gone.isPresent() && gone.get().minus(sight.silence()).compareTo(renewal) <= 0) {
      return Optional.of(Grounds.LEFT_GROUP);
    }
    return sight.refused() && !sight.group().present().contains(holder)
        ? Optional.of(Grounds.REFUSES)
        : Optional.empty();
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
