package io.headgate.scheduler.runtime.leadership;

import io.headgate.kit.time.TimeSource;
import io.headgate.scheduler.runtime.desk.LoopSettings;
import io.headgate.scheduler.runtime.leadership.ElectionRule.Move;
import io.headgate.scheduler.runtime.leadership.ElectionRule.Sight;
import io.headgate.scheduler.runtime.loop.LeaderPorts;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.record.SchedulerStore;
import io.headgate.scheduler.runtime.record.SchedulerStore.Candidate;
import io.headgate.scheduler.runtime.record.SchedulerStore.Row;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Decides when this replica tries to become leader, and makes the attempt. Confined to the
/// replica's thread.
final class Election {
  private static final Logger LOG = LoggerFactory.getLogger(Election.class);

  private static final Duration LOOK = Duration.ofSeconds(1);

  private final Candidate candidate;
  private final Duration renewal;
  private final SchedulerStore store;
  private final Members members;
  private final TimeSource time;
  private long backFromNanos;
  private boolean standsBack;
  private @Nullable Known known;
  private boolean isOlder; // the row read last is from an older copy of the database
  private String said = ""; // the consequence logged last for an older copy

  /// The newest epoch and batch that this process knows to be durable.
  private record Known(UUID incarnation, long epoch, long batch) {
    boolean isAheadOf(Row row) {
      return incarnation.equals(row.leadership().incarnation())
          && (epoch > row.leadership().epoch() || batch > row.lastBatch());
    }
  }

  Election(Candidate candidate, Duration renewal, LeaderPorts ports, Members members) {
    this.candidate = candidate;
    this.renewal = renewal;
    this.store = ports.store();
    this.time = ports.time();
    this.members = members;
  }

  /// Records that a leader of this process made `batch` durable.
  void knows(Leadership leadership, long batch) {
    known = new Known(leadership.incarnation(), leadership.epoch(), batch);
  }

  /// Notes a row that was just read, as the newest known state or as a row of an older copy.
  ///
  /// If the row is older than a state that this process knows to be durable, the database is an
  /// older copy, such as a standby that lacked the last commits. A leader on it would silently lose
  /// accepted jobs and rerun ended ones. So this replica does not lead until an operator confirms
  /// the copy with a new incarnation.
  private void note(Row row) {
    Known before = known;
    if (before == null || !before.isAheadOf(row)) {
      knows(row.leadership(), row.lastBatch());
      isOlder = false;
      return;
    }
    String consequence = consequence(row);
    if (!isOlder || !consequence.equals(said)) {
      said = consequence;
      LOG.error(
          "the database went back: it was at batch {} of epoch {}, and is at batch {} of epoch {}."
              + " What came after that is lost, and {}",
          before.batch(),
          before.epoch(),
          row.lastBatch(),
          row.leadership().epoch(),
          consequence);
    }
    isOlder = true;
  }

  /// The advice to the operator deposes the current leader, so it is given only if no other replica
  /// leads.
  private String consequence(Row row) {
    return row.leadership()
        .leader()
        .filter(other -> !other.equals(candidate.name()) && row.leaseLeft().isPositive())
        .map(other -> other + ", which did not know of it, leads on this copy")
        .orElse(
            candidate.name()
                + " leads no more until an operator confirms this copy: update scheduler.leadership"
                + " set incarnation = gen_random_uuid()");
  }

  /// Makes this replica a mere observer for the length of a lease.
  void standBack(String why) {
    LOG.warn("{} {}, and gives way to others", candidate.name(), why);
    standsBack = true;
    backFromNanos = time.monotonicNanos() + candidate.lease().toNanos();
  }

  /// Whether another replica is present that may lead.
  boolean hasOthers() {
    return members.group().present().stream().anyMatch(name -> !name.equals(candidate.name()));
  }

  /// The result of one look at the row of leadership.
  ///
  /// @param row as it was read
  /// @param taken as it is now, if this replica leads
  /// @param why the grounds for the attempt; empty: no attempt was made
  record Look(Row row, Optional<Row> taken, String why) {}

  /// Reads the row of leadership, and takes it if the rule says so.
  Look look() {
    Row row = store.leadership();
    return switch (move(row)) {
      case Move.Try attempt ->
          new Look(row, store.takeOver(candidate, attempt.holderLost()), attempt.grounds().text);
      case Move.Wait _ -> new Look(row, Optional.empty(), "");
    };
  }

  /// Whether the holder missed a renewal and its address refuses connections. A holder that renews
  /// is not probed.
  private boolean isRefused(Row row) {
    return candidate.mayLead()
        && row.leaseLeft().isPositive()
        && row.silence().compareTo(LoopSettings.missed(renewal)) >= 0
        && row.leadership()
            .address()
            .filter(address -> !address.equals(candidate.address()))
            .filter(members::refuses)
            .isPresent();
  }

  /// Waits until the row may have changed. The wait is short, so that callers soon learn of a new
  /// leader.
  void awaitNext(Row seen) throws InterruptedException {
    if (decide(seen, false) instanceof Move.Wait(Duration atMost)) {
      members.awaitChange(atMost.compareTo(LOOK) < 0 ? atMost : LOOK);
    }
  }

  /// Decides on a row that was just read.
  Move move(Row row) {
    note(row);
    return decide(row, isRefused(row));
  }

  private Move decide(Row row, boolean refused) {
    standsBack = standsBack && time.monotonicNanos() - backFromNanos < 0;
    if (!candidate.mayLead() || standsBack || isOlder) {
      return new Move.Wait(LOOK);
    }
    return ElectionRule.decide(sight(row, refused), renewal);
  }

  private Sight sight(Row row, boolean refused) {
    return new Sight(
        candidate.name(),
        row.leadership().leader(),
        row.leaseLeft(),
        row.silence(),
        members.group(),
        refused);
  }
}
