package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.ArrayElement;
import io.headgate.scheduler.core.job.ArrayPart;
import io.headgate.scheduler.core.job.BackOff;
import io.headgate.scheduler.core.job.Gate;
import io.headgate.scheduler.core.job.HeadroomHold;
import io.headgate.scheduler.core.job.HoldPause;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobArray;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.Preemption;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A job that waits or has an attempt. There may be a million, so it is small.
public final class LiveJob {
  /// Rule O5.
  public static final Comparator<LiveJob> ORDER = LiveJob::compare;

  private JobSpec spec;
  private final QueueState queue;
  private final long sequence;
  private final Instant submittedAt;
  private Instant waitingSince;
  private JobState state;
  private int attempts;
  private @Nullable Preemption lastPreemption;
  private @Nullable HoldPause holdPause;
  private @Nullable HeadroomHold headroom;
  private @Nullable LiveAttempt attempt;
  private @Nullable LiveHold hold;
  private @Nullable BackOff backOff;
  private boolean backsOff;

  /// Null: its gate is open.
  private @Nullable Gate gate;

  /// Null: it is no array and no element of one.
  private @Nullable ArrayPart part;

  private boolean rests;

  /// Attempts that it asks for in its lane; 0: it is in none.
  private int starts;

  public LiveJob(Job job, QueueState queue) {
    this.spec = job.spec();
    this.queue = queue;
    this.sequence = job.sequence();
    this.submittedAt = job.submittedAt();
    this.waitingSince = job.waitingSince();
    this.state = job.state();
    this.attempts = job.attempts();
    this.lastPreemption = job.lastPreemption().orElse(null);
    this.holdPause = job.holdPause().orElse(null);
    this.headroom = job.headroom().orElse(null);
    this.gate = job.gate().equals(Gate.OPEN) ? null : job.gate();
    this.part = job.part().orElse(null);
  }

  private static int compare(LiveJob one, LiveJob other) {
    int higher = Integer.compare(other.priority(), one.priority());
    return higher != 0 ? higher : Long.compare(one.sequence, other.sequence);
  }

  public JobId id() {
    return spec.id();
  }

  public UserId user() {
    return spec.user();
  }

  public int priority() {
    return spec.priority();
  }

  public long sequence() {
    return sequence;
  }

  public JobSpec spec() {
    return spec;
  }

  public Instant submittedAt() {
    return submittedAt;
  }

  /// The latest moment at which it began to wait (O7).
  public Instant waitingSince() {
    return waitingSince;
  }

  /// From when on it may preempt, as far as time goes (P2). Its queue has a policy.
  public Instant preemptsFrom() {
    Duration after = queue.account().preemptAfter();
    return after.isZero() ? Instant.MIN : waitingSince.plus(after);
  }

  /// An attempt of it that ran has ended, so it waits anew from now on.
  public void waitsSince(Instant now) {
    waitingSince = now;
    holdPause = null;
  }

  /// The last pause between its holds of unknown expected start (O7).
  public Optional<HoldPause> holdPause() {
    return Optional.ofNullable(holdPause);
  }

  public void setHoldPause(Optional<HoldPause> pause) {
    holdPause = pause.orElse(null);
  }

  /// Its headroom in the limits that block it (O7); null: it holds none.
  public @Nullable HeadroomHold headroom() {
    return headroom;
  }

  public void setHeadroom(@Nullable HeadroomHold newHeadroom) {
    headroom = newHeadroom;
  }

  public QueueState queue() {
    return queue;
  }

  public JobState state() {
    return state;
  }

  public void enter(JobState next) {
    state = next;
  }

  /// Counts a new attempt.
  public int beginAttempt() {
    return ++attempts;
  }

  public void preempted(Preemption preemption) {
    lastPreemption = preemption;
  }

  /// Whether it may be a victim (A8).
  public boolean isPreemptible() {
    return queue.isPreemptible(spec);
  }

  public @Nullable LiveAttempt attempt() {
    return attempt;
  }

  public void setAttempt(@Nullable LiveAttempt newAttempt) {
    attempt = newAttempt;
  }

  public @Nullable LiveHold hold() {
    return hold;
  }

  public void setHold(@Nullable LiveHold newHold) {
    hold = newHold;
  }

  /// The pause after the last rejection; null: none since an attempt of it started.
  public @Nullable BackOff backOff() {
    return backOff;
  }

  /// Lets it wait beside its lane, the next time that it waits, until the pause is over.
  public void backOff(BackOff pause) {
    backOff = pause;
    backsOff = true;
  }

  /// It waits in its lane again; its rejections stay counted until an attempt starts.
  public void endPause() {
    backsOff = false;
  }

  /// An attempt of it started.
  public void accepted() {
    backOff = null;
    backsOff = false;
  }

  /// Whether it waits beside its lane, or will once its attempt has ended.
  public boolean backsOff() {
    return backsOff;
  }

  /// The gate that it waits behind before it takes its place in its lane.
  public Gate gate() {
    return gate == null ? Gate.OPEN : gate;
  }

  /// Whether it waits behind its gate, beside its lane.
  public boolean isGated() {
    return gate != null;
  }

  /// Sets what it waits for; [Gate#OPEN]: nothing else.
  public void setGate(Gate newGate) {
    gate = newGate.equals(Gate.OPEN) ? null : newGate;
  }

  /// The array that it is; null: it is none.
  public @Nullable JobArray array() {
    return part instanceof JobArray array ? array : null;
  }

  /// Which element of an array it is; null: none.
  public @Nullable ArrayElement element() {
    return part instanceof ArrayElement element ? element : null;
  }

  /// The array stands in another way now.
  public void setArray(JobArray array) {
    part = array;
    if (starts > 0) {
      queue.lane(this).line().recount(this);
    }
  }

  /// An array asks for the attempts of all elements that may start, another job for one.
  static final WaitingLine.StartCounter<LiveJob> STARTS =
      new WaitingLine.StartCounter<>() {
        @Override
        public int enter(LiveJob job) {
          JobArray array = job.array();
          job.starts = array == null ? 1 : Math.max(1, array.startable());
          return job.starts;
        }

        @Override
        public int leave(LiveJob job) {
          int asked = job.starts;
          job.starts = 0;
          return asked;
        }
      };

  /// Whether its array has as many elements with an attempt as it may have, or, of an array,
  /// whether no more elements will start.
  public boolean rests() {
    return rests;
  }

  /// Lets it wait beside its lane, or no longer. It must not be in a lane meanwhile.
  public void setRests(boolean nowRests) {
    rests = nowRests;
  }

  /// Whether it waits for other jobs, or for a time, and is no candidate: behind its gate, or
  /// because of its array.
  public boolean isKeptBack() {
    return gate != null || rests;
  }

  /// Whether it waits beside its lane: kept back, or for the end of a pause.
  public boolean isBesideLane() {
    return backsOff || isKeptBack();
  }

  /// Its priority or its bounds are others now. It must not be in a lane meanwhile.
  public void setSpec(JobSpec newSpec) {
    spec = newSpec;
  }

  public Job toJob() {
    return new Job(
        spec,
        state,
        sequence,
        submittedAt,
        waitingSince,
        attempts,
        Optional.ofNullable(lastPreemption),
        holdPause(),
        Optional.ofNullable(headroom),
        gate(),
        Optional.ofNullable(part));
  }

  @Override
  public String toString() {
    return id().toString();
  }

  /// Whether the job counts as first by O2 and O3 in the pool of the route (O7).
  boolean isPromoted(Route route) {
    return state == JobState.WAITING && queue.promoter().isPromoted(waitingSince(), route);
  }

  /// Whether the job is promoted in some pool that is open to it, or where it holds: its own hold
  /// may fill what its tenant leaves there.
  boolean isPromotedSomewhere() {
    for (Route route : queue.rightfulRoutes(this)) {
      if (isPromoted(route)) {
        return true;
      }
    }
    Route held = hold == null ? null : RouteGroup.routeTo(hold.pool(), queue.routes());
    return held != null && isPromoted(held);
  }
}
