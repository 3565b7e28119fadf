package io.headgate.scheduler.runtime.leadership;

import io.headgate.scheduler.runtime.desk.LoopSettings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Decides when a candidate tries to take the row of leadership. A pure function of the candidate's
/// view. The SQL statement that takes the row checks its condition again, so a wrong view costs one
/// statement. There are three grounds:
///
/// - The lease has run out, or no replica holds it.
/// - The holder left the group *and* missed a renewal. A holder that renewed after it left is
///   alive, and the group is at fault: then only the lease counts. So a group that falls apart
///   while the database is reachable changes no leadership.
/// - The holder missed a renewal, the group does not list it as present, and its address refuses
///   connections: its process is gone. This covers a leader that dies before the group has formed,
///   which takes longer than an election.
///
/// Several candidates try one after the other, the oldest member first.
///
/// Example: renewals every 1 s, missed after 2 s, lease 10 s. The leader dies 0.4 s after a renewal
/// and the group sees it at once. The oldest candidate tries 2 s after that renewal, the next one
/// 0.2 s later. Without a group both try 10 s after the renewal.
final class ElectionRule {
  /// Delay between two candidates' attempts. An attempt takes milliseconds.
  static final Duration APART = Duration.ofMillis(200);

  private ElectionRule() {}

  /// A candidate's view of the leadership.
  ///
  /// @param holder name of the leader in the row
  /// @param leaseLeft by the database's clock; negative: the time since the lease ran out
  /// @param silence time since the holder's last renewal, by the database's clock
  /// @param refused whether the holder's address refuses connections
  record Sight(
      String self,
      Optional<String> holder,
      Duration leaseLeft,
      Duration silence,
      Group group,
      boolean refused) {}

  /// Grounds for taking the row.
  enum Grounds {
    LEASE_OVER("no scheduler held the lease"),
    LEFT_GROUP("the holder left the group and missed a renewal"),
    REFUSES("the holder missed a renewal and its address refuses connections");

    final String text;

    Grounds(String text) {
      this.text = text;
    }
  }

  /// The candidate's next action.
  sealed interface Move {
    /// Take the row; if the holder is lost, even before the lease is over.
    record Try(Grounds grounds) implements Move {
      boolean holderLost() {
        return grounds != Grounds.LEASE_OVER;
      }
    }

    /// Look again when the group changes, at the latest after `atMost`.
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
      // At that time the next look probes the holder's address, if the holder is still silent.
      return new Move.Wait(shorter(untilMissed, untilOver));
    }
    return lost.isPresent() ? new Move.Try(lost.get()) : new Move.Wait(untilOver);
  }

  private static Optional<Grounds> lost(Sight sight, String holder, Duration renewal) {
    Optional<Duration> gone = Optional.ofNullable(sight.group().goneFor().get(holder));
    // A renewal sent just before the holder died may commit a moment after the group noticed the
    // death.
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
    // A lone candidate, or one not yet in the group, waits for no other candidate.
    return Math.max(0, candidates.indexOf(sight.self()));
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
