package io.headgate.scheduler.runtime.leadership;

import io.headgate.scheduler.runtime.desk.LoopSettings;
import io.headgate.scheduler.runtime.loop.LeaderStart;
import io.headgate.scheduler.runtime.loop.LoopStep;
import io.headgate.scheduler.runtime.record.Batch;
import io.headgate.scheduler.runtime.record.CommitResult;
import io.headgate.scheduler.runtime.record.Failpoint;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.record.SchedulerStore.Resolution;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// State machine that commits the steps of a leader, one after the other, and renews the lease. The
/// database's answer, or the lack of one, decides the next move. The leader acts on a step only
/// once the step is durable and the lease is fresh.
///
/// The class has no thread and never blocks: it returns the next [Move], and the caller reports the
/// result. Confined to the committing thread.
final class Commits {
  private static final Logger LOG = LoggerFactory.getLogger(Commits.class);

  private static final Duration RETRY = Duration.ofMillis(100);
  private static final int MOST_DOUBLINGS = 10;

  private final LoopSettings settings;
  private final Lease lease;
  private final Failpoint.Handler failpoints;
  private @Nullable LoopStep step;
  private Batch batch;
  private Purpose purpose = Purpose.RENEWAL;
  private long sentNanos;

  /// Consecutive failures to write the current batch; [#failure] is the last cause.
  private int failures;

  private Exception failure = new IllegalStateException("nothing failed");
  private boolean isAnswered;
  private long lastBatch;
  private long lastVersion;

  /// The reason why a batch is written.
  private enum Purpose {
    /// No step waits, and the lease needs a renewal.
    RENEWAL,
    STEP,
    /// The step is durable, but the process stood still; a successful write proves that it still
    /// leads.
    PROOF
  }

  /// The next action of the committing thread.
  sealed interface Move {
    /// Wait for the next step, at most `atMost`; report it to [#took].
    record Take(Duration atMost) implements Move {}

    /// Commit the batch; report the result to [#committed].
    record Commit(Batch batch) implements Move {}

    /// Ask the database for the outcome of the batch; report the answer to [#resolved].
    record Resolve(Batch batch) implements Move {}

    /// Wait for `atMost`, or until the lease changes; then call [#paused].
    record Pause(Duration atMost) implements Move {}

    /// Act on the step; then call [#acted].
    record Act(LoopStep step) implements Move {}

    /// Stop.
    ///
    /// @param why absent: the leader acted on its last step
    record End(Optional<LeaderEnd> why) implements Move {}
  }

  Commits(LeaderStart start, Lease lease, Failpoint.Handler failpoints) {
    this.settings = start.settings();
    this.lastBatch = start.lastBatch();
    this.lastVersion = start.version();
    this.lease = lease;
    this.failpoints = failpoints;
    this.batch = Batch.renewal(lastBatch, lastVersion);
  }

  Move begin() {
    return next();
  }

  /// @param taken absent: no step came in time
  Move took(Optional<LoopStep> taken) {
    if (taken.isEmpty()) {
      return renew(Purpose.RENEWAL);
    }
    step = taken.get();
    if (step.batch().isEmpty()) {
      return durable();
    }
    if (!step.batch().get().isRenewal()) {
      failpoints.at(Failpoint.BEFORE_COMMIT);
    }
    return make(step.batch().get(), Purpose.STEP);
  }

  /// The id of the last durable batch.
  long lastBatch() {
    return lastBatch;
  }

  /// @param sent monotonic time, in nanoseconds, at which the batch was sent to the database
  Move committed(CommitResult result, long sent) {
    sentNanos = sent;
    return switch (result) {
      case CommitResult.Committed() -> made();
      case CommitResult.Deposed(Leadership now) -> end(new LeaderEnd.Deposed(now));
      case CommitResult.Unknown(Exception cause) -> {
        LOG.warn("the outcome of batch {} is not known: {}", batch.id(), cause.toString());
        failure = cause;
        yield new Move.Resolve(batch);
      }
    };
  }

  /// While the database does not answer, the question is repeated until the lease is over.
  Move resolved(Resolution resolution) {
    isAnswered = !(resolution instanceof Resolution.Unreachable);
    return switch (resolution) {
      // A renewal reuses the id of the batch before it, so this answer proves nothing: it is
      // written again.
      case Resolution.Happened() -> batch.isRenewal() ? again() : made();
      case Resolution.DidNotHappen(long last) ->
          last < lastBatch ? end(new LeaderEnd.WentBack()) : again();
      case Resolution.Deposed(Leadership now) -> end(new LeaderEnd.Deposed(now));
      case Resolution.Unreachable(Exception cause) ->
          lease.isHeld() ? new Move.Pause(RETRY) : end(new LeaderEnd.LeaseRanOut(cause));
    };
  }

  /// The database answers, so the first retry is immediate: it recovers a lost answer. A database
  /// that answers and still writes nothing, as with a full disk, is retried with exponential
  /// backoff. After half a lease without a success the leader ends, so that callers hear of it and
  /// another replica may try.
  private Move again() {
    failures++;
    if (failures == 1) {
      return new Move.Commit(batch);
    }
    if (!lease.isFresh()) {
      return end(new LeaderEnd.LeaseRanOut(failure));
    }
    Duration doubled = RETRY.multipliedBy(1L << Math.min(failures - 2, MOST_DOUBLINGS));
    Duration most = settings.renewal();
    return new Move.Pause(doubled.compareTo(most) < 0 ? doubled : most);
  }

  Move paused() {
    return isAnswered ? new Move.Commit(batch) : new Move.Resolve(batch);
  }

  Move acted() {
    boolean wasLast = step != null && step.isLast();
    step = null;
    return wasLast ? new Move.End(Optional.empty()) : next();
  }

  /// The step that was taken and not yet acted on.
  Optional<LoopStep> inHand() {
    return Optional.ofNullable(step);
  }

  private Move next() {
    return new Move.Take(settings.renewal());
  }

  private Move renew(Purpose why) {
    return make(Batch.renewal(lastBatch, lastVersion), why);
  }

  private Move make(Batch next, Purpose why) {
    batch = next;
    purpose = why;
    return new Move.Commit(next);
  }

  private Move made() {
    failures = 0;
    lease.renewed(sentNanos);
    lastBatch = batch.id();
    lastVersion = batch.version();
    return switch (purpose) {
      case RENEWAL -> next();
      case STEP -> durable();
      case PROOF -> act();
    };
  }

  private Move durable() {
    failpoints.at(Failpoint.AFTER_COMMIT_BEFORE_SEND);
    return lease.isFresh() ? act() : renew(Purpose.PROOF);
  }

  private Move act() {
    if (step == null) {
      throw new IllegalStateException("there is no step to act on");
    }
    return new Move.Act(step);
  }

  private static Move end(LeaderEnd why) {
    return new Move.End(Optional.of(why));
  }
}
