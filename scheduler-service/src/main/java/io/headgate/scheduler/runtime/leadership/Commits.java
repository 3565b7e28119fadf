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

/// Makes steps durable, one after the other, renews the lease meanwhile, and decides what follows
/// from what the database answers or does not answer. A step is acted on only once it is durable
/// and the lease is fresh.
///
/// It has no thread and waits for nothing: it says what to do next ([Move]) and is told what came
/// of it. Confined to the thread that commits.
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

  /// How often the batch was not made, in a row, and why the last time.
  private int failures;

  private Exception failure = new IllegalStateException("nothing failed");
  private boolean isAnswered;
  private long lastBatch;
  private long lastVersion;

  /// What a batch is written for.
  private enum Purpose {
    /// There is nothing else to write, and the lease is to be renewed.
    RENEWAL,
    STEP,
    /// The step is durable, but the process stood still: it asks whether it still leads.
    PROOF
  }

  /// What to do next.
  sealed interface Move {
    /// Wait for the next step, at most so long; [#took] what came.
    record Take(Duration atMost) implements Move {}

    /// Have it committed; [#committed].
    record Commit(Batch batch) implements Move {}

    /// Ask what became of it; [#resolved].
    record Resolve(Batch batch) implements Move {}

    /// Wait so long, or until the lease changes; [#paused].
    record Pause(Duration atMost) implements Move {}

    /// Act on it; [#acted].
    record Act(LoopStep step) implements Move {}

    /// Stop.
    ///
    /// @param why absent: the last step was acted on
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

  /// The first move.
  Move begin() {
    return next();
  }

  /// @param taken absent: none came in time
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

  /// The last batch that is durable.
  long lastBatch() {
    return lastBatch;
  }

  /// @param sent when it was handed to the database, by the monotonic clock
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

  /// The row is asked until it answers or the lease is over.
  Move resolved(Resolution resolution) {
    isAnswered = !(resolution instanceof Resolution.Unreachable);
    return switch (resolution) {
      // A renewal has the number of the batch before it, so it is simply made again.
      case Resolution.Happened() -> batch.isRenewal() ? again() : made();
      case Resolution.DidNotHappen(long last) ->
          last < lastBatch ? end(new LeaderEnd.WentBack()) : again();
      case Resolution.Deposed(Leadership now) -> end(new LeaderEnd.Deposed(now));
      case Resolution.Unreachable(Exception cause) ->
          lease.isHeld() ? new Move.Pause(RETRY) : end(new LeaderEnd.LeaseRanOut(cause));
    };
  }

  /// The row answers, so a lost answer is mended by trying again, at once. A database that answers
  /// and takes nothing, because its disk is full, is tried ever more seldom, and not for longer
  /// than half a lease without a success: then callers are told, and another may have more luck.
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

  /// The step that was taken and not acted on.
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
