package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.Effect;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.SchedulerState;
import io.headgate.scheduler.core.SchedulerState.BackedOff;
import io.headgate.scheduler.core.SchedulerState.ObservedRuns;
import io.headgate.scheduler.core.SchedulerState.SetAside;
import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.Pool;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Dependency;
import io.headgate.scheduler.core.job.Gate;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.PastUse;
import io.headgate.scheduler.core.job.PreemptionRule;
import io.headgate.scheduler.core.job.RunTimes;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.StopOutcome;
import io.headgate.scheduler.core.job.WorkerStatus;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.scheduler.core.property.Scenarios.Step;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The database of a shell: built from inputs and effects alone.
final class Shadow {
  Catalog catalog;
  final TreeMap<NodeId, Node> nodes = new TreeMap<>();
  final Map<NodeId, Instant> aside = new LinkedHashMap<>();

  /// Jobs that pause after a rejection, or will once their attempt has ended.
  final Set<JobId> backedOff = new HashSet<>();

  final Map<JobId, Job> jobs = new LinkedHashMap<>();
  final Map<AttemptId, Attempt> attempts = new LinkedHashMap<>();
  final Map<JobId, Hold> holds = new LinkedHashMap<>();

  /// The places kept for jobs whose attempts stop because a worker was lost.
  final Map<JobId, Hold> returning = new LinkedHashMap<>();

  /// Attempts since whose start nothing was reported or asked for.
  final Set<AttemptId> fresh = new HashSet<>();

  /// Jobs that lost their places by P7, P9 or P10, and the pools in which nothing has happened from
  /// outside since.
  final Map<JobId, PoolId> barred = new HashMap<>();

  /// Nodes of elastic pools that are given back.
  final Set<NodeId> released = new HashSet<>();

  /// Instances that elastic pools were asked for.
  final Map<PoolId, Integer> asked = new LinkedHashMap<>();

  /// How long ended attempts of the queues ran.
  final Map<QueueId, RunTimes> runTimes = new HashMap<>();

  /// The past use that was told, by pool and level.
  private final Map<List<Object>, PastUse> pastUse = new HashMap<>();

  /// The use after each decision.
  private UseSamples use = new UseSamples();

  private Catalog indexed;
  private final Map<QueueId, Queue> queues = new HashMap<>();
  private final Map<ProfileId, Profile> profiles = new HashMap<>();
  private final Map<PolicyId, Policy> policies = new HashMap<>();
  private final Map<PoolId, Pool> pools = new HashMap<>();

  /// The state before any effect.
  Shadow() {
    this(new Catalog(new TenantId("t"), 0, List.of(), List.of(), List.of(), List.of()));
  }

  Shadow(Catalog catalog) {
    this.catalog = catalog;
    this.indexed = catalog;
    index();
  }

  private void index() {
    queues.clear();
    profiles.clear();
    policies.clear();
    pools.clear();
    catalog.queues().forEach(queue -> queues.put(queue.id(), queue));
    catalog.profiles().forEach(profile -> profiles.put(profile.id(), profile));
    catalog.policies().forEach(policy -> policies.put(policy.id(), policy));
    catalog.pools().forEach(pool -> pools.put(pool.id(), pool));
    indexed = catalog;
  }

  private Shadow indexed() {
    if (indexed != catalog) {
      index();
    }
    return this;
  }

  Optional<Queue> queue(QueueId id) {
    return Optional.ofNullable(indexed().queues.get(id));
  }

  Optional<Profile> profile(ProfileId id) {
    return Optional.ofNullable(indexed().profiles.get(id));
  }

  Optional<Policy> policy(PolicyId id) {
    return Optional.ofNullable(indexed().policies.get(id));
  }

  Optional<Pool> pool(PoolId id) {
    return Optional.ofNullable(indexed().pools.get(id));
  }

  boolean takesWork(Node node) {
    return node.status() == NodeStatus.READY
        && !aside.containsKey(node.id())
        && !released.contains(node.id());
  }

  /// An independent copy.
  Shadow copy() {
    Shadow copy = new Shadow(catalog);
    copy.nodes.putAll(nodes);
    copy.aside.putAll(aside);
    copy.backedOff.addAll(backedOff);
    copy.jobs.putAll(jobs);
    copy.attempts.putAll(attempts);
    copy.holds.putAll(holds);
    copy.returning.putAll(returning);
    copy.released.addAll(released);
    copy.asked.putAll(asked);
    copy.runTimes.putAll(runTimes);
    copy.fresh.addAll(fresh);
    copy.barred.putAll(barred);
    copy.pastUse.putAll(pastUse);
    copy.use = use.copy();
    return copy;
  }

  /// Applies a decision and the inputs that led to it.
  void apply(Step step, Decision decision, SchedulerCore core) {
    step.inputs().forEach(this::apply);
    decision.effects().forEach(this::apply);
    setAside(core.state());
    returning.clear();
    core.state().returning().forEach(place -> returning.put(place.job(), place));
    noteUse(step.inputs(), step.at());
  }

  void apply(Input input) {
    if (!(input instanceof Input.TimePassed)) {
      fresh.clear();
    }
    lift(input);
    switch (input) {
      case Input.CatalogChanged(var changed) -> catalog = changed;
      case Input.NodeChanged(var node) -> nodes.put(node.id(), node);
      case Input.NodeRemoved(var node) -> {
        nodes.remove(node);
        released.remove(node);
      }
      default -> {}
    }
  }

  void apply(Effect effect) {
    switch (effect) {
      case Effect.JobChanged(var job, var _, var _) -> jobs.put(job.id(), job);
      case Effect.StartAttempt(var attempt) -> {
        attempts.put(attempt.id(), attempt);
        fresh.add(attempt.id());
      }
      case Effect.AttemptChanged(var attempt) -> attempts.put(attempt.id(), attempt);
      case Effect.StopAttempt(var id, var order) -> {
        if (order.cause() instanceof StopCause.Preempted by
            && by.rule() != PreemptionRule.P1
            && by.rule() != PreemptionRule.P11) {
          barred.put(id.job(), attempts.get(id).assignment().pool());
        }
        attempts.computeIfPresent(
            id,
            (key, a) ->
                new Attempt(
                    a.id(),
                    a.policy(),
                    a.profile(),
                    a.assignment(),
                    a.preemptible(),
                    a.sequence(),
                    a.assignedAt(),
                    a.startedAt(),
                    a.checkpointAt(),
                    a.workers(),
                    Optional.of(order)));
      }
      case Effect.AttemptSuspended(var attempt) -> attempts.put(attempt.id(), attempt);
      case Effect.ResumeAttempt(var attempt) -> {
        attempts.put(attempt.id(), attempt);
        fresh.add(attempt.id());
      }
      case Effect.AttemptEnded(var attempt, var _) -> attempts.remove(attempt.id());
      case Effect.HoldPlaced(var hold) -> holds.put(hold.job(), hold);
      case Effect.HoldReleased(var job, var _) -> holds.remove(job);
      case Effect.HoldPauseChanged(var job, var pause) ->
          jobs.computeIfPresent(job, (key, known) -> known.withHoldPause(pause));
      case Effect.HeadroomHoldChanged(var job, var headroom) ->
          jobs.computeIfPresent(job, (key, known) -> known.withHeadroom(headroom));
      case Effect.GateChanged(var job, var gate, var since) ->
          jobs.computeIfPresent(job, (_, known) -> known.withGate(gate, since));
      case Effect.ReleaseNode(var node) -> released.add(node);
      case Effect.PastUseChanged(var past) -> {
        pastUse.remove(key(past));
        if (!past.isNothing()) {
          pastUse.put(key(past), past);
        }
      }
      case Effect.NodeSetAside _,
          Effect.ScalePool _,
          Effect.DependencyFailed _,
          Effect.LaneReasonChanged _,
          Effect.JobReasonChanged _ -> {}
    }
  }

  /// An event from outside frees the barred jobs of its pools (P9).
  private void lift(Input input) {
    switch (input) {
      case Input.CatalogChanged _ -> barred.clear();
      case Input.NodeChanged(var node) -> {
        liftAt(node.id());
        barred.values().removeIf(node.pool()::equals);
      }
      case Input.NodeRemoved(var node) -> liftAt(node);
      case Input.NodeCleared(var node) -> liftAt(node);
      case Input.JobSubmitted(var job, var _) -> liftFor(job);
      case Input.JobUpdated(var job) -> {
        if (known().stream().anyMatch(known -> known.id().equals(job.id()))) {
          liftFor(jobs.get(job.id()).spec());
        }
        liftFor(job);
      }
      case Input.JobCancelled(var job) -> liftFor(job.spec());
      case Input.JobRequeued(var job) -> liftFor(job.spec());
      case Input.JobWithdrawn(var job) -> {
        if (known().stream().anyMatch(known -> known.id().equals(job))) {
          liftFor(jobs.get(job).spec());
        }
      }
      case Input.WorkerExited(var attempt, var _, var _) -> liftUnlessAsked(attempt);
      case Input.WorkerStopped(var attempt, var _) -> liftUnlessAsked(attempt);
      case Input.WorkerRejected(var attempt, var _, var _) -> liftUnlessAsked(attempt);
      case Input.WorkerUndelivered(var attempt, var _, var _) -> liftUnlessAsked(attempt);
      case Input.WorkerLost(var attempt, var _) -> liftUnlessAsked(attempt);
      default -> {}
    }
  }

  private void liftAt(NodeId node) {
    Node known = nodes.get(node);
    barred.values().removeIf(pool -> known != null && pool.equals(known.pool()));
  }

  private void liftFor(JobSpec job) {
    Queue queue = queue(job.queue()).orElse(null);
    if (queue == null || policy(queue.policy()).isEmpty()) {
      return;
    }
    List<PoolId> open = new ArrayList<>();
    for (PoolId id : profile(queue.profile()).map(Profile::pools).orElse(List.of())) {
      pool(id)
          .filter(pool -> pool.dedicatedTo().map(queue.policy()::equals).orElse(true))
          .ifPresent(pool -> open.add(id));
    }
    barred.values().removeIf(open::contains);
  }

  private void liftUnlessAsked(AttemptId id) {
    Attempt attempt = attempts.get(id);
    barred
        .values()
        .removeIf(pool ->
            attempt != null
                && attempt.stop().isEmpty()
                && attempt.assignment().pool().equals(pool));
  }

  private List<SchedulerState.Barred> barred() {
    List<SchedulerState.Barred> all = new ArrayList<>();
    barred.forEach((job, pool) -> all.add(new SchedulerState.Barred(job, pool)));
    all.removeIf(each -> known().stream().noneMatch(job -> job.id().equals(each.job())));
    all.sort(Comparator.comparingLong(each -> each.job().value()));
    return all;
  }

  /// Takes the use after a decision.
  void noteUse(List<Input> inputs, Instant now) {
    if (catalog.pools().stream().anyMatch(pool -> pool.halfLife().isPresent())) {
      use.add(
          new Reference(this, now),
          inputs.stream().anyMatch(Input.CatalogChanged.class::isInstance));
    }
  }

  /// The average past use of a policy or department in the pool (O4).
  double pastUse(Pool pool, Record level, Instant now) {
    return use.average(pool, level, now);
  }

  private static List<Object> key(PastUse past) {
    return List.of(past.pool(), past.level());
  }

  /// In the order of the core.
  private List<PastUse> pastUse(SchedulerState core) {
    List<List<Object>> order = core.pastUse().stream().map(Shadow::key).toList();
    return pastUse.values().stream()
        .sorted(Comparator.comparingInt(past -> order.indexOf(key(past))))
        .toList();
  }

  /// Applies a change of a place kept for a returning job; others are those of rule O7.
  void applyReturning(Decision.HoldChange change) {
    if (!change.hold().isForBlocked()) {
      if (change.inForce()) {
        returning.put(change.hold().job(), change.hold());
      } else {
        returning.remove(change.hold().job());
      }
    }
  }

  /// A shell does not keep which nodes are set aside, which jobs pause, what it was asked for, and
  /// how long attempts ran; the core says it.
  void setAside(SchedulerState core) {
    asked.clear();
    core.asked().forEach(each -> asked.put(each.pool(), each.instances()));
    runTimes.clear();
    for (ObservedRuns each : core.runTimes()) {
      RunTimes runs = new RunTimes();
      runs.load(each.runs());
      runTimes.put(each.queue(), runs);
    }
    backedOff.clear();
    for (BackedOff each : core.backOffs()) {
      if (each.waits()) {
        backedOff.add(each.job());
      }
    }
    aside.clear();
    for (SetAside each : core.setAside()) {
      each.until().ifPresent(until -> aside.put(each.node(), until));
    }
  }

  /// It stands still, or ends there: it has no slices.
  static boolean isSuspended(Attempt attempt) {
    return attempt.workers().getFirst() == WorkerStatus.SUSPENDED;
  }

  /// It is suspended, and not to be stopped.
  static boolean isKept(Attempt attempt) {
    return isSuspended(attempt)
        && attempt.stop().filter(order -> order.outcome() == StopOutcome.SUSPEND).isPresent();
  }

  /// Units of GPU that it has.
  static long units(Attempt attempt) {
    return isSuspended(attempt) ? 0 : attempt.assignment().units();
  }

  /// The jobs with an attempt, and those that wait for one: not those behind their gates.
  List<Job> live() {
    List<Job> live = new ArrayList<>();
    for (Job job : jobs.values()) {
      if ((job.state() == JobState.WAITING && job.gate().equals(Gate.OPEN))
          || job.state().hasAttempt()) {
        live.add(job);
      }
    }
    live.sort(Comparator.comparingLong(Job::sequence));
    return live;
  }

  /// All jobs of the core.
  private List<Job> known() {
    List<Job> known = live();
    known.addAll(gated());
    known.sort(Comparator.comparingLong(Job::sequence));
    return known;
  }

  /// The jobs behind their gates.
  List<Job> gated() {
    return jobs.values().stream()
        .filter(job -> job.state() == JobState.WAITING && !job.gate().equals(Gate.OPEN))
        .toList();
  }

  /// The job without dependencies on jobs that have ended: the shell leaves these out.
  Job withoutEnded(Job job) {
    return withoutEnded(job, jobs::get);
  }

  static Job withoutEnded(Job job, Function<JobId, @Nullable Job> jobs) {
    return job.withGate(withoutEnded(job.gate(), jobs), job.waitingSince());
  }

  static Gate withoutEnded(Gate all, Function<JobId, @Nullable Job> jobs) {
    Gate gate = all;
    for (Dependency dependency : all.after()) {
      Job other = jobs.apply(dependency.on());
      if (other == null || other.state().isTerminal()) {
        gate = gate.without(dependency.on());
      }
    }
    return gate;
  }

  Optional<Attempt> attempt(JobId job) {
    return attempts.values().stream().filter(attempt -> attempt.id().job().equals(job)).findAny();
  }

  /// To be equal to the core's, as far as a shell keeps it.
  SchedulerState state(SchedulerState core) {
    List<Attempt> ordered = new ArrayList<>(attempts.values());
    List<Job> live = known();
    Map<JobId, Integer> place = new LinkedHashMap<>();
    for (Job job : live) {
      place.put(job.id(), place.size());
    }
    ordered.sort(Comparator.comparing(attempt -> place.getOrDefault(attempt.id().job(), -1)));
    return inOrder(
        new SchedulerState(
            List.of(catalog),
            List.copyOf(nodes.values()),
            live,
            ordered,
            List.copyOf(holds.values()),
            core.returning(),
            core.setAside(),
            core.backOffs(),
            core.asked(),
            core.instances(),
            core.demand(),
            core.runTimes(),
            barred(),
            pastUse(core),
            core.freshFrom(),
            core.nextSequence(),
            core.decidedAt()));
  }

  /// With the holds of O7 last, by job: they have no order among themselves, for each pass finds
  /// them anew.
  static SchedulerState inOrder(SchedulerState state) {
    List<Hold> holds = new ArrayList<>(state.holds());
    holds.sort(Comparator.comparingLong(hold -> hold.isForBlocked() ? hold.job().value() : -1));
    return new SchedulerState(
        state.catalogs(),
        state.nodes(),
        state.jobs(),
        state.attempts(),
        holds,
        state.returning(),
        state.setAside(),
        state.backOffs(),
        state.asked(),
        state.instances(),
        state.demand(),
        state.runTimes(),
        state.barred(),
        state.pastUse(),
        state.freshFrom(),
        state.nextSequence(),
        state.decidedAt());
  }
}
