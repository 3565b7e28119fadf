package io.headgate.scheduler.core.property;

import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.node.NodeStatus;
import io.headgate.scheduler.core.property.History.Obedience;
import io.headgate.scheduler.core.property.Scenarios.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// Makes a failing history small: leaves out steps, inputs, jobs, machines, policies, queues, sizes
/// and pools, and makes what is left plain, as long as the same property still fails. Greedy and
/// deterministic; bounded by a number of trials and not by the clock, so that the same failure
/// shrinks to the same history everywhere.
final class Shrinker {
  /// A trial costs about a millisecond.
  private static final int MOST_TRIALS = 4000;

  /// Says which property of a history fails first; empty: none.
  interface Oracle extends Function<History, Optional<String>> {}

  private final Oracle oracle;
  private final String property;
  private History best;
  private int trials;

  private Shrinker(Oracle oracle, String property, History history) {
    this.oracle = oracle;
    this.property = property;
    this.best = history;
  }

  /// The smallest failing history found. Agents obey by themselves in it if possible, because only
  /// such a history can be written as a scenario file. The history itself where nothing fails.
  static History shrink(History history, Oracle oracle) {
    Optional<String> property = oracle.apply(history);
    if (property.isEmpty()) {
      return history;
    }
    Shrinker shrinker = new Shrinker(oracle, property.get(), history);
    shrinker.tryHistory(history.placedAsUsual());
    if (!shrinker.letAgentsObey()) {
      shrinker.reduce();
      shrinker.letAgentsObey();
    }
    shrinker.reduce();
    return shrinker.best;
  }

  /// Takes the candidate if the same property fails.
  private boolean tryHistory(History candidate) {
    if (trials >= MOST_TRIALS || candidate.steps().isEmpty()) {
      return false;
    }
    trials++;
    if (!oracle.apply(candidate).equals(Optional.of(property))) {
      return false;
    }
    best = candidate;
    return true;
  }

  private void reduce() {
    boolean smaller = true;
    while (smaller && trials < MOST_TRIALS) {
      smaller = dropSteps();
      smaller |= dropJobs();
      smaller |= dropInputs();
      smaller |= dropNodes();
      smaller |= makePlainer();
      smaller |= hurry();
      smaller |= simplifyObedience();
    }
  }

  /// One change after the other; each starts from the result of the one before.
  private boolean makePlainer() {
    boolean plainer = false;
    int next = 0;
    for (List<History> all = Plainer.of(best); next < all.size(); ) {
      History candidate = all.get(next);
      if (!candidate.equals(best) && tryHistory(candidate)) {
        plainer = true;
        all = Plainer.of(best);
      } else {
        next++;
      }
    }
    return plainer;
  }

  // --- Less.

  /// In chunks, the large ones and the late ones first.
  private boolean dropSteps() {
    boolean smaller = false;
    for (int size = best.steps().size() / 2; size >= 1; size /= 2) {
      for (int from = best.steps().size() - size; from >= 0; from -= size) {
        List<Step> fewer = new ArrayList<>(best.steps());
        fewer.subList(from, Math.min(from + size, fewer.size())).clear();
        smaller |= tryHistory(best.with(fewer));
      }
    }
    return smaller;
  }

  private boolean dropInputs() {
    boolean smaller = false;
    for (int step = best.steps().size() - 1; step >= 0; step--) {
      for (int input = best.steps().get(step).inputs().size() - 1; input >= 0; input--) {
        List<Step> fewer = new ArrayList<>(best.steps());
        List<Input> inputs = new ArrayList<>(fewer.get(step).inputs());
        inputs.remove(input);
        fewer.set(step, new Step(fewer.get(step).at(), inputs));
        if (inputs.isEmpty()) {
          fewer.remove(step);
        }
        boolean dropped = tryHistory(best.with(fewer));
        smaller |= dropped;
        if (dropped && inputs.isEmpty()) {
          break;
        }
      }
    }
    return smaller;
  }

  private boolean dropJobs() {
    Set<JobId> jobs = new LinkedHashSet<>();
    best.steps().forEach(step -> step.inputs().forEach(in -> jobOf(in).ifPresent(jobs::add)));
    boolean smaller = false;
    for (JobId job : List.copyOf(jobs).reversed()) {
      smaller |=
          tryHistory(
              best.mapInputs(inputs ->
                  inputs.stream()
                      .filter(input -> !jobOf(input).equals(Optional.of(job)))
                      .toList()));
    }
    return smaller;
  }

  private static Optional<JobId> jobOf(Input input) {
    return switch (input) {
      case Input.JobSubmitted(var spec, var _) -> Optional.of(spec.id());
      case Input.JobCancelled(var job) -> Optional.of(job.id());
      case Input.JobRequeued(var job) -> Optional.of(job.id());
      case Input.JobWithdrawn(var job) -> Optional.of(job);
      case Input.JobUpdated(var job) -> Optional.of(job.id());
      case Input.WorkerStarted(var attempt, int _, var _) -> Optional.of(attempt.job());
      case Input.AttemptCheckpointed(var attempt, var _) -> Optional.of(attempt.job());
      case Input.WorkerExited(var attempt, int _, int _) -> Optional.of(attempt.job());
      case Input.WorkerStopped(var attempt, int _) -> Optional.of(attempt.job());
      case Input.WorkerSuspended(var attempt, int _) -> Optional.of(attempt.job());
      case Input.WorkerRejected(var attempt, int _, var _) -> Optional.of(attempt.job());
      case Input.WorkerUndelivered(var attempt, int _, var _) -> Optional.of(attempt.job());
      case Input.WorkerLost(var attempt, int _) -> Optional.of(attempt.job());
      case Input.CatalogChanged _,
          Input.NodeChanged _,
          Input.NodeRemoved _,
          Input.NodeCleared _,
          Input.TimePassed _ ->
          Optional.empty();
    };
  }

  private boolean dropNodes() {
    Set<NodeId> nodes = new LinkedHashSet<>();
    best.steps().forEach(step -> step.inputs().forEach(in -> nodeOf(in).ifPresent(nodes::add)));
    boolean smaller = false;
    for (NodeId node : nodes) {
      smaller |=
          tryHistory(
              best.mapInputs(inputs ->
                  inputs.stream()
                      .filter(input -> !nodeOf(input).equals(Optional.of(node)))
                      .toList()));
    }
    return smaller;
  }

  private static Optional<NodeId> nodeOf(Input input) {
    return switch (input) {
      case Input.NodeChanged(var node) -> Optional.of(node.id());
      case Input.NodeRemoved(var node) -> Optional.of(node);
      default -> Optional.empty();
    };
  }

  // --- Sooner.

  /// Less time between steps: a second.
  private boolean hurry() {
    boolean smaller = false;
    for (int i = 1; i < best.steps().size(); i++) {
      Instant before = best.steps().get(i - 1).at();
      Duration gap = Duration.between(before, best.steps().get(i).at());
      for (Duration less : List.of(Duration.ofSeconds(1), Duration.ofMinutes(1))) {
        if (gap.compareTo(less) > 0 && tryHistory(best.with(sooner(i, gap.minus(less))))) {
          smaller = true;
          break;
        }
      }
    }
    return smaller;
  }

  private List<Step> sooner(int from, Duration by) {
    List<Step> steps = new ArrayList<>(best.steps());
    for (int i = from; i < steps.size(); i++) {
      steps.set(i, new Step(steps.get(i).at().minus(by), steps.get(i).inputs()));
    }
    return steps;
  }

  // --- As a simulation would have it.

  /// Tries the history with agents that obey; what they said is taken out, and ends of jobs become
  /// durations.
  private boolean letAgentsObey() {
    if (best.obedience().isPresent()) {
      return true;
    }
    Map<JobId, Instant> starts = new LinkedHashMap<>();
    Map<JobId, Duration> durations = new LinkedHashMap<>();
    try {
      Player.play(
          best,
          (step, decision, core) -> {
            core.state()
                .attempts()
                .forEach(attempt -> starts.put(attempt.id().job(), attempt.assignedAt()));
            for (Input input : step.inputs()) {
              if (input instanceof Input.WorkerExited(var attempt, int _, int _)
                  && starts.containsKey(attempt.job())) {
                durations.put(
                    attempt.job(), Duration.between(starts.get(attempt.job()), step.at()));
              }
            }
          });
    } catch (RuntimeException _) {
      // The core itself may fail; the steps until then are recorded.
    }
    History outside =
        best.mapInputs(inputs -> inputs.stream().flatMap(in -> outside(in).stream()).toList());
    for (Duration stopTime :
        List.of(Duration.ofSeconds(30), Duration.ZERO, Duration.ofMinutes(5), Duration.ofDays(1))) {
      if (tryHistory(outside.with(new Obedience(durations, stopTime)))) {
        return true;
      }
    }
    return false;
  }

  /// The inputs that a scenario file can express; a machine that gets no work fails.
  private static Optional<Input> outside(Input input) {
    return switch (input) {
      case Input.CatalogChanged _, Input.JobSubmitted _, Input.JobCancelled _ -> Optional.of(input);
      case Input.NodeChanged(var node) ->
          Optional.of(node.status() == NodeStatus.READY ? input : failed(node));
      default -> Optional.empty();
    };
  }

  private static Input failed(Node node) {
    return new Input.NodeChanged(node.withStatus(NodeStatus.SUSPECT));
  }

  private boolean simplifyObedience() {
    if (best.obedience().isEmpty()) {
      return false;
    }
    boolean smaller = false;
    for (JobId job : List.copyOf(best.obedience().get().durations().keySet())) {
      Obedience known = best.obedience().get();
      Map<JobId, Duration> fewer = new LinkedHashMap<>(known.durations());
      fewer.remove(job);
      smaller |= tryHistory(best.with(new Obedience(fewer, known.stopTime())));
    }
    Obedience known = best.obedience().get();
    return smaller
        | (!known.stopTime().isZero()
            && tryHistory(best.with(new Obedience(known.durations(), Duration.ZERO))));
  }
}
