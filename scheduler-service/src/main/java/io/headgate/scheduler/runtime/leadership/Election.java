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

/// Stands for leadership: waits for the moment to try, and tries. Only the replica's thread uses
/// it.
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
  private boolean isOlder; // the row that was seen last
  private String said = ""; // of an older row

  /// The newest that is known to be durable.
  private record Known(UUID incarnation, long epoch, long batch) {
    boolean isPast(Row row) {
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

  /// A leader of this process made that batch durable.
  void knows(Leadership leadership, long batch) {
    known = new Known(leadership.incarnation(), leadership.epoch(), batch);
  }

  /// A row that falls back is that of an older copy, as of a standby that had not heard of the last
  /// commits. Whoever led on it would lose without a word what was accepted, and run again what has
  /// ended; so nobody who knows better does, until somebody says that it was restored.
  private boolean isPast(Row row) {
    Known before = known;
    if (before == null || !before.isPast(row)) {
      knows(row.leadership(), row.lastBatch());
      return false;
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
    return true;
  }

  /// The advice deposes a leader, so it is given only where no scheduler leads.
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

  /// Only looks for the time of a lease.
  void standBack() {
    LOG.warn("{} heard no agent any more, and gives way to others", candidate.name());
    standsBack = true;
    backFromNanos = time.monotonicNanos() + candidate.lease().toNanos();
  }

  /// Whether others are there that may lead.
  boolean hasOthers() {
    return members.group().present().stream().anyMatch(name -> !name.equals(candidate.name()));
  }

  /// What became of one look at the row.
  ///
  /// @param row as it was
  /// @param taken as it is now, if this replica leads
  /// @param why it was taken; empty: it was not tried
  record Look(Row row, Optional<Row> taken, String why) {}

  /// Looks at the row and takes it, if it is time to.
  Look look() {
    Row row = store.leadership();
    return switch (move(row)) {
      case Move.Try attempt ->
          new Look(row, store.takeOver(candidate, attempt.holderLost()), attempt.grounds().text);
      case Move.Wait _ -> new Look(row, Optional.empty(), "");
    };
  }

  /// Whether the holder is silent and nobody listens at its address. Not asked of one that renews.
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

  /// Waits until another look is worth it. Never long, so that callers are told of a new leader
  /// soon.
  void awaitNext(Row seen) throws InterruptedException {
    if (decide(seen, false) instanceof Move.Wait(Duration atMost)) {
      members.awaitChange(atMost.compareTo(LOOK) < 0 ? atMost : LOOK);
    }
  }

  /// What to do about a row that was just read.
  Move move(Row row) {
    isOlder = isPast(row);
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
