package io.headgate.scheduler.core;

import io.headgate.scheduler.core.SchedulerState.BackedOff;
import io.headgate.scheduler.core.SchedulerState.Demanded;
import io.headgate.scheduler.core.SchedulerState.ObservedRuns;
import io.headgate.scheduler.core.SchedulerState.SetAside;
import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.Rejections;
import io.headgate.scheduler.core.queue.Lane;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.Promotion;
import io.headgate.scheduler.core.queue.QueueState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Builds the world from its state, and gives the state back.
final class StateLoader {
  private final World world;
  private final Transitions transitions;

  private StateLoader(PlacementPolicy placement) {
    world = new World(placement);
    transitions = new Transitions(world);
  }

  static World load(SchedulerState state, PlacementPolicy placement) {
    StateLoader loader = new StateLoader(placement);
    loader.loadAll(state);
    return loader.world;
  }

  private void loadAll(SchedulerState state) {
    CatalogInputs catalogs = new CatalogInputs(world, transitions);
    for (Catalog catalog : state.catalogs()) {
      catalogs.configure(catalog);
    }
    for (Node node : state.nodes()) {
      PoolState pool = world.pool(node.pool());
      NodeState fresh = new NodeState(node, pool::wants);
      world.nodes.put(node.id(), fresh);
      pool.refresh(fresh);
    }
    for (SetAside aside : state.setAside()) {
      NodeState node = world.nodes.get(aside.node());
      if (node != null) {
        node.rejections().setAside(aside.until().orElse(Instant.MIN), aside.times());
        aside.evidence().forEach(node.rejections()::add);
        world.refresh(node);
        if (aside.until().isPresent()) {
          world.aside.add(node);
        }
      }
    }
    for (SchedulerState.Instance instance : state.instances()) {
      NodeState node = world.nodes.get(instance.node());
      if (node != null) {
        node.setIdleSince(instance.idleSince().orElse(null));
        if (instance.released()) {
          node.release();
        }
        world.refresh(node);
      }
    }
    for (SchedulerState.Asked asked : state.asked()) {
      world.asked.put(
          world.pool(asked.pool()), new World.Asked(asked.instances(), asked.missingSince()));
    }
    world.skipSequencesBelow(state.nextSequence());
    loadJobs(state);
    loadAttempts(state);
    for (Hold hold : state.holds()) {
      loadHold(hold);
    }
    state.returning().forEach(this::loadReturning);
    loadDemand(state);
    loadRunTimes(state);
    PastUses.restore(world, state.pastUse());
    for (SchedulerState.Barred barred : state.barred()) {
      world.bars.restore(barred.job(), world.pool(barred.pool()));
    }
    world.possibleVictims.endFreshness(Math.min(state.freshFrom(), world.nextSequence()));
    StructuralCheck.renew(world);
    world.changes.structureIsKnown();
    world.decidedAt = state.decidedAt();
    PastUses.begin(world, world.decidedAt);
    world.promotingQueues.forEach(queue -> Promotion.promote(queue, world.decidedAt));
    world.headroom.guard(world, world.decidedAt);
    new Scaling(world, transitions, Instant.MIN, new WakeTime()).wanted();
    noteReasons();
  }

  private void loadJobs(SchedulerState state) {
    Map<JobId, BackedOff> backOffs = new HashMap<>();
    state.backOffs().forEach(backedOff -> backOffs.put(backedOff.job(), backedOff));
    List<Job> jobs = new ArrayList<>(state.jobs());
    jobs.sort(Comparator.comparingLong(Job::sequence));
    for (Job job : jobs) {
      if (job.state() != JobState.WAITING && !job.state().hasAttempt()) {
        continue;
      }
      QueueState queue = world.queue(job.spec().queue());
      LiveJob live = new LiveJob(job, queue);
      if (world.jobs.put(job.id(), live) != null) {
        throw new IllegalArgumentException("job " + job.id() + " is there twice");
      }
      BackedOff backedOff = backOffs.get(job.id());
      if (backedOff != null) {
        live.backOff(backedOff.backOff());
        if (!backedOff.waits()) {
          live.endPause();
        }
      }
      if (live.headroom() != null) {
        world.headroom.set(live, job.headroom());
      }
      if (job.state() == JobState.WAITING) {
        transitions.enqueue(live);
      }
      world.skipSequencesBelow(job.sequence() + 1);
    }
  }

  private void loadDemand(SchedulerState state) {
    for (Demanded known : state.demand().isEmpty() ? demandOfJobs() : state.demand()) {
      world.demand(known.profile().tenant()).load(known);
    }
    for (Catalog catalog : world.catalogs.values()) {
      // The stored state may name profiles that no longer exist.
      world.demand(catalog.tenant()).retain(catalog.profiles());
      world.expect(catalog.tenant());
    }
  }

  /// Run times of queues that no longer exist are dropped.
  private void loadRunTimes(SchedulerState state) {
    for (ObservedRuns known : state.runTimes()) {
      QueueState queue = world.knownQueue(known.queue());
      if (queue != null) {
        queue.runTimes().load(known.runs());
      }
    }
  }

  private static List<Demanded> demand(World world) {
    List<Demanded> demand = new ArrayList<>();
    for (Demand known : world.demands.values()) {
      demand.addAll(known.state());
    }
    return demand;
  }

  private static List<ObservedRuns> runTimes(World world) {
    List<ObservedRuns> observed = new ArrayList<>();
    for (QueueState queue : world.queues.values()) {
      Map<Integer, Integer> runs = queue.runTimes().state();
      if (!runs.isEmpty()) {
        observed.add(new ObservedRuns(queue.id(), runs));
      }
    }
    return observed;
  }

  /// The demand that waiting and running jobs imply, if none was stored.
  private List<Demanded> demandOfJobs() {
    Map<ProfileId, Long> jobs = new TreeMap<>();
    for (LiveJob job : world.jobs.values()) {
      job.queue()
          .resolved()
          .ifPresent(resolved -> jobs.merge(resolved.profile().id(), 1L, Long::sum));
    }
    List<Demanded> demand = new ArrayList<>();
    jobs.forEach((profile, count) -> demand.add(new Demanded(profile, count, 0)));
    return demand;
  }

  private void loadAttempts(SchedulerState state) {
    List<Attempt> attempts = new ArrayList<>(state.attempts());
    attempts.sort(Comparator.comparingLong(Attempt::sequence));
    for (Attempt attempt : attempts) {
      LiveJob job = world.jobs.get(attempt.id().job());
      if (job == null || !job.state().hasAttempt() || job.attempt() != null) {
        throw new IllegalArgumentException(
            "attempt %s: its job is %s"
                .formatted(attempt.id(), job == null ? "unknown" : job.state()));
      }
      LiveAttempt live = transitions.liveAttempt(attempt, job);
      transitions.take(live);
      for (NodeState node : live.nodes()) {
        if (node.isOvercommitted()) {
          throw new IllegalArgumentException(
              "attempt %s: a slice of it on %s has another owner"
                  .formatted(attempt.id(), node.id()));
        }
      }
      world.skipSequencesBelow(attempt.sequence() + 1);
    }
    for (Job job : state.jobs()) {
      LiveJob live = world.jobs.get(job.id());
      if (job.state().hasAttempt() && live != null && live.attempt() == null) {
        throw new IllegalArgumentException(
            "job %s is %s without attempt".formatted(job.id(), job.state()));
      }
    }
  }

  /// Leaves out a hold that its job can no longer use, for example because its queue was removed.
  private void loadHold(Hold hold) {
    LiveJob job = world.jobs.get(hold.job());
    if (job == null
        || (job.state() != JobState.WAITING && !isMoving(job))
        || job.hold() != null
        || job.isBesideLane()
        || job.queue().resolved().isEmpty()) {
      return;
    }
    LiveHold live = transitions.holds().liveHold(hold, job);
    if (job.attempt() == null) {
      job.queue().dequeue(job);
    }
    transitions.holds().place(live);
  }

  /// Whether it has been asked to stop in order to go on elsewhere (P11).
  private static boolean isMoving(LiveJob job) {
    return job.attempt() != null
        && job.attempt().stop() != null
        && job.attempt().stop().cause() instanceof StopCause.Preempted preempted
        && preempted.rule() == PreemptionRule.P11;
  }

  private void loadReturning(Hold hold) {
    LiveJob job = world.jobs.get(hold.job());
    if (job != null
        && job.attempt() != null
        && world.returning.get(job.sequence()) == job.attempt()
        && job.queue().resolved().isPresent()) {
      transitions.holds().keep(transitions.holds().liveHold(hold, job));
    }
  }

  private static List<Hold> holds(Collection<LiveHold> live) {
    List<Hold> holds = new ArrayList<>();
    live.forEach(hold -> holds.add(hold.hold()));
    return holds;
  }

  /// Records the present reasons, so that only later changes are reported.
  private void noteReasons() {
    for (QueueState queue : world.queues.values()) {
      queue.lanes().forEach(Lane::noteGate);
    }
    Reasons.emit(world, new Transitions(world), true);
  }

  static SchedulerState state(World world) {
    List<Node> nodes = new ArrayList<>();
    List<SetAside> aside = new ArrayList<>();
    List<SchedulerState.Instance> instances = new ArrayList<>();
    for (NodeState node : world.sortedNodes()) {
      if (!node.isRemoved()) {
        nodes.add(node.node());
        if (node.idleSince() != null || node.isReleased()) {
          instances.add(
              new SchedulerState.Instance(
                  node.id(), Optional.ofNullable(node.idleSince()), node.isReleased()));
        }
        Rejections rejections = node.rejections();
        if (!rejections.evidence().isEmpty() || rejections.asideUntil().isPresent()) {
          aside.add(
              new SetAside(
                  node.id(),
                  rejections.asideUntil(),
                  rejections.timesAside(),
                  rejections.evidence()));
        }
      }
    }
    List<Job> jobs = new ArrayList<>();
    List<Attempt> attempts = new ArrayList<>();
    List<BackedOff> backOffs = new ArrayList<>();
    for (LiveJob job : world.sortedJobs()) {
      jobs.add(job.toJob());
      if (job.backOff() != null) {
        backOffs.add(new BackedOff(job.id(), job.backOff(), job.backsOff()));
      }
      if (job.attempt() != null) {
        attempts.add(job.attempt().toAttempt());
      }
    }
    List<SchedulerState.Asked> asked = new ArrayList<>();
    world.asked.forEach((pool, known) ->
        asked.add(new SchedulerState.Asked(pool.id(), known.instances(), known.missingSince())));
    return new SchedulerState(
        List.copyOf(world.catalogs.values()),
        nodes,
        jobs,
        attempts,
        holds(world.holds.values()),
        holds(world.returningPlaces.values()),
        aside,
        backOffs,
        asked,
        instances,
        demand(world),
        runTimes(world),
        world.bars.all(),
        PastUses.all(world),
        world.possibleVictims.freshFrom(),
        world.nextSequence(),
        world.decidedAt);
  }
}
