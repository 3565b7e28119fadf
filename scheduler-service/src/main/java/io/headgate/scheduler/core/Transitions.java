package io.headgate.scheduler.core;

import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.job.Assignment;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptEnding;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.HoldRelease;
import io.headgate.scheduler.core.job.JobEvent;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobLifecycle;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.StopOrder;
import io.headgate.scheduler.core.job.StopOutcome;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.job.WorkerStatus;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.Stake;
import io.headgate.scheduler.core.queue.Lane;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.rights.Levels;
import io.headgate.scheduler.core.rights.PolicyAccount;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/// The only place where slices change hands and jobs change state; holds are the part of
/// [HoldTransitions]. It keeps nodes, pools, policies and queues in step and reports its changes.
final class Transitions {
  private final World world;
  private final Shares shares;
  private final HoldTransitions holds;
  private final List<Effect> effects = new ArrayList<>();
  private final List<Decision.Refusal> refusals = new ArrayList<>();

  Transitions(World world) {
    this.world = world;
    this.shares = new Shares(world);
    this.holds = new HoldTransitions(world, shares, this);
  }

  /// Places and ends holds.
  HoldTransitions holds() {
    return holds;
  }

  List<Effect> effects() {
    return effects;
  }

  List<Decision.Refusal> refusals() {
    return refusals;
  }

  void emit(Effect effect) {
    effects.add(effect);
  }

  void refuse(int input, JobId job, Denial denial) {
    refusals.add(new Decision.Refusal(input, job, denial));
  }

  /// Moves the job along [JobLifecycle]. A job that no longer concerns the core is forgotten.
  void move(LiveJob job, JobEvent event) {
    JobState from = job.state();
    JobState to =
        JobLifecycle.next(from, event)
            .orElseThrow(() ->
                new IllegalStateException(
                    "job %s: %s in state %s".formatted(job.id(), event, from)));
    job.enter(to);
    if (to != JobState.WAITING && !to.hasAttempt()) {
      world.jobs.remove(job.id());
    }
    if (to.isTerminal()) {
      world.gates.ended(job.id(), to);
    }
    emit(new Effect.JobChanged(job.toJob(), Optional.of(from), event));
  }

  /// Puts a waiting job in its lane, or beside it behind its gate or for a pause.
  void enqueue(LiveJob job) {
    if (job.isGated()) {
      world.gates.add(job);
      return;
    }
    if (job.backsOff()) {
      job.queue().backedOff().add(job);
      world.backedOff.add(job);
      return;
    }
    Lane lane = job.queue().lane(job);
    if (lane.line().isEmpty()) {
      lane.setDenial(StructuralCheck.denial(world, job.queue(), job.spec()));
    }
    job.queue().enqueue(job);
  }

  /// Removes a waiting job together with its hold.
  void dequeue(LiveJob job) {
    if (job.isGated()) {
      world.gates.remove(job);
    } else if (job.backsOff()) {
      world.backedOff.remove(job);
      job.queue().backedOff().remove(job);
    } else if (job.hold() == null) {
      job.queue().dequeue(job);
    } else {
      holds.end(job.hold(), HoldRelease.JOB_GONE);
    }
    if (job.headroom() != null) {
      world.headroom.set(job, Optional.empty());
      emit(new Effect.HeadroomHoldChanged(job.id(), Optional.empty()));
    }
  }

  /// Starts a waiting job that has no hold.
  LiveAttempt start(LiveJob job, Assignment assignment, Instant now) {
    QueueState queue = job.queue();
    queue.dequeue(job);
    Attempt attempt =
        new Attempt(
            new AttemptId(job.id(), job.beginAttempt()),
            queue.account().id(),
            queue.resolved().orElseThrow().profile().id(),
            assignment,
            job.isPreemptible(),
            world.takeSequence(),
            now,
            Optional.empty(),
            Optional.empty(),
            Collections.nCopies(assignment.workers().size(), WorkerStatus.ASSIGNED),
            Optional.empty());
    LiveAttempt live = liveAttempt(attempt, job, queue.account());
    take(live);
    world.standings.put(live.id(), live.levels().standingWith(0));
    move(job, JobEvent.ASSIGN);
    emit(new Effect.StartAttempt(attempt));
    return live;
  }

  /// Capacity was taken for a policy. A search for room that failed would fail again, unless a
  /// level is above its reservation now, or the policy's jobs may preempt each other, so that its
  /// jobs may be victims.
  void noteTaken(Levels levels) {
    if (levels.isSomeAboveReservation() || levels.policy().preemptsWithin()) {
      world.changes.victimsChanged();
    } else if (levels.policy().department().isPresent()) {
      world.changes.orderChanged();
    }
  }

  private void forgetReturning(LiveAttempt attempt) {
    if (world.returning.remove(attempt.job().sequence(), attempt)) {
      holds.giveUpKept(attempt.job());
    }
  }

  LiveAttempt liveAttempt(Attempt attempt, LiveJob job) {
    return liveAttempt(attempt, job, world.account(attempt.policy()));
  }

  private LiveAttempt liveAttempt(Attempt attempt, LiveJob job, PolicyAccount policy) {
    PoolState pool = world.pool(attempt.assignment().pool());
    return new LiveAttempt(
        attempt,
        job,
        policy,
        world.tenant(pool, policy.id().tenant()),
        pool,
        nodes(attempt.assignment(), pool));
  }

  /// Gives the attempt its slices.
  void take(LiveAttempt attempt) {
    shares.take(attempt);
    if (!attempt.isSuspended()) {
      charge(attempt);
      if (attempt.stake() == Stake.STOPPING) {
        attempt.levels().stop(attempt.claim());
      }
    }
    attempt.job().setAttempt(attempt);
    attempt.job().queue().countAttempt(1);
    attempt.pool().countAttempt(1);
    if (attempt.isSuspended() && attempt.isKept()) {
      addSuspended(attempt);
    }
    if (attempt.stop() == null) {
      world.addRunning(attempt);
    }
    noteReturning(attempt);
  }

  /// The job of an attempt that stops because a worker of it was lost, was rejected or stopped goes
  /// back to its old place (O5).
  private void noteReturning(LiveAttempt attempt) {
    StopOrder order = attempt.stop();
    if (order != null
        && order.outcome() == StopOutcome.REQUEUE
        && order.cause() instanceof StopCause.WorkerEnded) {
      world.returning.put(attempt.job().sequence(), attempt);
    } else {
      forgetReturning(attempt);
    }
  }

  private void addSuspended(LiveAttempt suspended) {
    world.suspended.put(suspended.job().sequence(), suspended);
    world.possibleVictims.add(suspended);
  }

  private void removeSuspended(LiveAttempt suspended) {
    if (world.suspended.remove(suspended.job().sequence(), suspended)) {
      world.possibleVictims.remove(suspended);
    }
  }

  private void charge(LiveAttempt attempt) {
    attempt.levels().start(attempt.claim());
    noteTaken(attempt.levels());
  }

  /// Lets the attempt count on another policy of its tenant.
  void recount(LiveAttempt attempt, PolicyAccount policy) {
    boolean mayGo =
        attempt.stop() == null || world.suspended.get(attempt.job().sequence()) == attempt;
    if (mayGo) {
      world.possibleVictims.remove(attempt);
    }
    world.attemptsOf.remove(attempt);
    boolean stops = attempt.stake() == Stake.STOPPING;
    if (!attempt.isSuspended()) {
      attempt.levels().end(attempt.claim(), stops);
    }
    attempt.setPolicy(policy);
    if (!attempt.isSuspended()) {
      attempt.levels().start(attempt.claim());
      if (stops) {
        attempt.levels().stop(attempt.claim());
      }
    }
    if (mayGo) {
      world.possibleVictims.add(attempt);
    }
    if (attempt.stop() == null) {
      world.attemptsOf.add(attempt);
    }
    emit(new Effect.AttemptChanged(attempt.toAttempt()));
  }

  /// All workers of the attempt run. For an attempt that was suspended meanwhile, the first start
  /// counts.
  void run(LiveAttempt attempt, Instant at) {
    if (attempt.startedAt() == null && attempt.stop() == null) {
      world.ends.remove(attempt);
      world.attemptsOf.remove(attempt);
      attempt.setStarted(at);
      world.ends.add(attempt);
      world.attemptsOf.add(attempt);
    } else if (attempt.startedAt() == null) {
      attempt.setStarted(at);
    }
    world.changes.victimsChanged();
    move(attempt.job(), JobEvent.RUN);
  }

  /// Asks the attempt to stop. Its slices stay taken.
  void stop(LiveAttempt attempt, StopOrder order) {
    boolean isNew = attempt.stop() == null;
    if (order.outcome() != StopOutcome.REQUEUE) {
      holds.endOfMove(attempt.job());
    }
    if (isNew) {
      world.removeRunning(attempt);
      attempt.levels().stop(attempt.claim());
    }
    removeSuspended(attempt);
    shares.giveBack(attempt);
    attempt.setStop(order);
    shares.take(attempt);
    noteReturning(attempt);
    world.changes.freed();
    if (isNew || attempt.job().state() == JobState.SUSPENDED) {
      move(attempt.job(), JobEvent.STOP);
    }
    emit(new Effect.StopAttempt(attempt.id(), order));
  }

  /// The attempt has been suspended as ordered: its slices are free.
  void suspend(LiveAttempt attempt) {
    shares.giveBack(attempt);
    attempt.suspend();
    shares.take(attempt);
    world.changes.freed();
    attempt.levels().end(attempt.claim(), true);
    addSuspended(attempt);
    emit(new Effect.AttemptSuspended(attempt.toAttempt()));
    move(attempt.job(), JobEvent.SUSPEND);
  }

  /// Gives the suspended attempt the slices again that it had.
  void resume(LiveAttempt attempt) {
    removeSuspended(attempt);
    shares.giveBack(attempt);
    attempt.resume(world.takeSequence());
    shares.take(attempt);
    // It is no victim any more that takes no GPU from anybody.
    world.changes.victimsChanged();
    charge(attempt);
    world.addRunning(attempt);
    move(attempt.job(), JobEvent.RESUME);
    emit(new Effect.ResumeAttempt(attempt.toAttempt()));
  }

  /// The attempt has ended: its slices are free, and its job goes where the event leads.
  void end(LiveAttempt attempt, AttemptEnding ending, JobEvent event, Instant now) {
    LiveJob job = attempt.job();
    QueueState queue = job.queue();
    world.standings.put(attempt.id(), attempt.levels().standingWith(0));
    if (attempt.stop() == null) {
      world.removeRunning(attempt);
    }
    removeSuspended(attempt);
    forgetReturning(attempt);
    shares.giveBack(attempt);
    world.changes.freed();
    if (!attempt.isSuspended()) {
      attempt.levels().end(attempt.claim(), attempt.stake() == Stake.STOPPING);
    }
    job.setAttempt(null);
    queue.countAttempt(-1);
    attempt.pool().countAttempt(-1);
    emit(new Effect.AttemptEnded(attempt.toAttempt(), ending));
    if (attempt.startedAt() != null) {
      observe(attempt, ending, now);
      job.waitsSince(now);
    }
    move(job, event);
    if (job.state() == JobState.WAITING && world.isRemoved(queue)) {
      move(job, JobEvent.WITHDRAW);
    }
    if (job.state() != JobState.WAITING) {
      holds.endOfMove(job);
    } else if (job.hold() == null || job.backsOff()) {
      holds.endOfMove(job);
      enqueue(job);
    } else {
      holds.waitInNewPlace(job.hold());
    }
    forgetIfUnused(queue);
    attempt.nodes().forEach(this::forgetIfUnused);
  }

  /// Remembers the run time of an attempt that ended by itself (O7).
  private void observe(LiveAttempt attempt, AttemptEnding ending, Instant now) {
    StopOrder order = attempt.stop();
    boolean unasked = order == null || order.cause() instanceof StopCause.WorkerEnded;
    if (ending instanceof AttemptEnding.Exited && unasked) {
      attempt.job().queue().runTimes().add(Duration.between(attempt.from(), now));
      world.ends.observed();
      world.attemptsOf.expectedEndsChanged(attempt.policy());
    }
  }

  List<NodeState> nodes(Assignment assignment, PoolState pool) {
    List<NodeState> nodes = new ArrayList<>(assignment.workers().size());
    for (WorkerPlace place : assignment.workers()) {
      nodes.add(world.nodes.computeIfAbsent(place.node(), id -> NodeState.unknown(id, pool.id())));
    }
    return nodes;
  }

  /// Forgets a removed queue without jobs.
  void forgetIfUnused(QueueState queue) {
    if (world.isRemoved(queue) && queue.waiting() == 0 && queue.attempts() == 0) {
      world.forget(queue);
    }
  }

  /// Forgets a removed node with nothing on it.
  void forgetIfUnused(NodeState node) {
    if (node.isRemoved() && node.shares().isEmpty() && world.nodes.remove(node.id(), node)) {
      world.aside.remove(node);
      world.poolOf(node).drop(node);
      world.changes.inventoryChanged();
    }
  }
}
