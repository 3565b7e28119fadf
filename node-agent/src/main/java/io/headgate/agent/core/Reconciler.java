package io.headgate.agent.core;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Brings what runs on this machine in line with what the scheduler wants, and says how.
///
/// A deterministic state machine without clock, disk or network: the same inputs give the same
/// effects. Commands are idempotent by attempt, and nothing that has ended, or was refused, ever
/// starts again. Confined to one thread.
public final class Reconciler {
  private final SliceBook devices;
  private final DeviceBook health = new DeviceBook();
  private final SortedMap<AttemptKey, Attempt> attempts = new TreeMap<>();
  private LeadershipHistory history = LeadershipHistory.NONE;
  private boolean closing;

  public Reconciler(List<DeviceInfo> devices) {
    this.devices = new SliceBook(devices);
  }

  /// Takes one input and says what follows.
  public List<Effect> on(Input input) {
    List<Effect> effects = new ArrayList<>();
    switch (input) {
      case Input.Recovered recovered -> recover(recovered, effects);
      case Input.Welcomed(Leadership leadership) -> obeys(leadership, effects);
      case Input.Assigned assigned -> assign(assigned, effects);
      case Input.Malformed malformed -> refuseMalformed(malformed, effects);
      case Input.StopOrdered ordered -> stop(ordered, effects);
      case Input.ResumeOrdered ordered -> resume(ordered, effects);
      case Input.Suspended(AttemptKey key, long suspension, Duration took) ->
          suspended(key, suspension, took, effects);
      case Input.NotSuspended(
              AttemptKey key,
              StopStep.Result result,
              Duration took,
              String problem) ->
          notSuspended(key, StopStep.over(StopStep.Phase.SUSPEND, result, took), problem, effects);
      case Input.Resumed(AttemptKey key) -> resumed(key, effects);
      case Input.NotResumed(AttemptKey key, String problem) ->
          stopFor(key, problem, StopOrder.Kind.PREEMPT, effects);
      case Input.OverLimit(AttemptKey key, String problem) ->
          stopFor(key, problem, StopOrder.Kind.OVER_LIMIT, effects);
      case Input.DeviceJudged(String uuid, DeviceCondition condition) ->
          judged(uuid, condition, effects);
      case Input.ShutdownOrdered _ -> stopAll(effects);
      case Input.Forgotten(AttemptKey key) -> forget(key, effects);
      case Input.Observed observed -> observe(observed, effects);
      case Input.NotStarted(AttemptKey key, EndReason reason, String problem, Instant now) ->
          gone(key, AttemptLifecycle.Event.GONE, reason, problem, now, effects);
      case Input.Vanished(AttemptKey key, EndReason reason, String problem, Instant now) ->
          gone(key, AttemptLifecycle.Event.VANISHED, reason, problem, now, effects);
      case Input.Released(AttemptKey key, Duration took) -> released(key, took, effects);
    }
    return List.copyOf(effects);
  }

  /// How every attempt stands that this machine has a record of.
  public List<AttemptReport> reports() {
    return attempts.values().stream().map(Attempt::report).toList();
  }

  /// Attempts whose slices are not free yet.
  public long unfinished() {
    return attempts.values().stream().filter(a -> a.state() != AttemptState.ENDED).count();
  }

  /// UUIDs of the devices on which nothing new can be placed, ascending.
  public List<String> unusableDevices() {
    return health.unusable();
  }

  public LeadershipHistory history() {
    return history;
  }

  private void recover(Input.Recovered recovered, List<Effect> effects) {
    history = recovered.history();
    for (Input.Found found : recovered.attempts()) {
      if (found.end().isPresent() || found.assignment().isEmpty()) {
        AttemptReport end =
            found
                .end()
                .orElseGet(() ->
                    AttemptReport.neverRan(
                        found.key(), EndReason.LOST, "its record is incomplete", found.now()));
        attempts.put(found.key(), Attempt.ended(end));
        continue;
      }
      Attempt attempt = Attempt.assigned(found.assignment().get(), false);
      if (found.sameBoot() && found.suspension() != 0) {
        attempt = attempt.suspendedBy(found.suspension()).in(AttemptState.SUSPENDED);
      }
      attempts.put(found.key(), attempt);
      if (found.sameBoot()) {
        effects.add(new Effect.Start(found.assignment().get()));
      } else {
        endAcrossBoots(attempt, found, effects);
      }
    }
  }

  /// Nothing of an earlier boot runs, and slices do not survive it either. What had ended before,
  /// and was recorded, keeps its exit code.
  private void endAcrossBoots(Attempt attempt, Input.Found found, List<Effect> effects) {
    Attempt ended =
        found
            .lastSeen()
            .flatMap(Observation::ending)
            .map(ending -> attempt.endedBy(endOf(attempt, ending)))
            .orElseGet(
                () -> attempt.endedBy(EndReason.LOST, "the machine was restarted", found.now()));
    ended = found.lastSeen().map(Observation::started).map(ended::startedAt).orElse(ended);
    ended = ended.in(AttemptState.ENDED);
    attempts.put(ended.key(), ended);
    effects.add(new Effect.RecordEnd(ended.report()));
    effects.add(new Effect.Report(ended.report()));
  }

  private boolean obeys(Leadership leadership, List<Effect> effects) {
    if (!history.admits(leadership)) {
      effects.add(new Effect.Refuse(leadership));
      return false;
    }
    if (!history.highest().equals(Optional.of(leadership))) {
      history = history.obeying(leadership);
      effects.add(new Effect.RecordLeadership(history));
    }
    return true;
  }

  /// The attempt that a command is about. Where the command or the record, of an older version, has
  /// no uid, the name tells.
  private @Nullable Attempt known(AttemptKey key) {
    Attempt exact = attempts.get(key);
    if (exact != null || !key.uid().isEmpty()) {
      return exact != null ? exact : attempts.get(key.byName());
    }
    Iterator<Attempt> from = attempts.tailMap(key).values().iterator();
    Attempt next = from.hasNext() ? from.next() : null;
    return next != null && next.key().byName().equals(key) ? next : null;
  }

  private void assign(Input.Assigned assigned, List<Effect> effects) {
    if (!obeys(assigned.leadership(), effects)) {
      return;
    }
    Assignment assignment = assigned.assignment();
    Attempt known = known(assignment.key());
    if (known != null) {
      effects.add(new Effect.Report(known.report()));
      return;
    }
    if (closing) {
      endUnstarted(
          assignment.key(),
          EndReason.NODE_STOPPED,
          "the agent is closing down",
          assigned.now(),
          effects);
      return;
    }
    Optional<String> refusal = refusal(assignment);
    if (refusal.isPresent()) {
      endUnstarted(assignment.key(), EndReason.REJECTED, refusal.get(), assigned.now(), effects);
      return;
    }
    attempts.put(assignment.key(), Attempt.assigned(assignment, true));
    effects.add(new Effect.RecordAssignment(assignment));
    effects.add(new Effect.Start(assignment));
  }

  private void refuseMalformed(Input.Malformed malformed, List<Effect> effects) {
    if (!obeys(malformed.leadership(), effects)) {
      return;
    }
    Attempt known = known(malformed.key());
    if (known != null) {
      effects.add(new Effect.Report(known.report()));
      return;
    }
    endUnstarted(
        malformed.key(), EndReason.REJECTED, malformed.problem(), malformed.now(), effects);
  }

  private void stop(Input.StopOrdered ordered, List<Effect> effects) {
    if (!obeys(ordered.leadership(), effects)) {
      return;
    }
    Attempt known = known(ordered.key());
    if (known == null) {
      // Recorded, so that an assignment that was overtaken by this stop does not start after all.
      endUnstarted(
          ordered.key(),
          EndReason.LOST,
          "this machine has no record of it",
          ordered.now(),
          effects);
      return;
    }
    StopOrder order = ordered.order();
    if (known.state() == AttemptState.SUSPENDED && order.suspension() != 0) {
      // It is what was ordered already, by whichever number.
      Attempt still = known.suspendedBy(order.suspension());
      attempts.put(still.key(), still);
      effects.add(new Effect.RecordSuspension(still.key(), still.suspension()));
      effects.add(new Effect.Report(still.report()));
      return;
    }
    apply(known, AttemptLifecycle.Event.STOP_ORDERED, Optional.of(order), effects);
  }

  /// The devices that it had may be another's meanwhile, or out of order: then it is stopped.
  private void resume(Input.ResumeOrdered ordered, List<Effect> effects) {
    if (!obeys(ordered.leadership(), effects)) {
      return;
    }
    Attempt known = known(ordered.key());
    if (known == null) {
      endUnstarted(
          ordered.key(),
          EndReason.LOST,
          "this machine has no record of it",
          ordered.now(),
          effects);
      return;
    }
    if (known.state() != AttemptState.SUSPENDED) {
      effects.add(new Effect.Report(known.report()));
      return;
    }
    Assignment assignment = assignmentOf(known);
    Optional<String> refusal = refusal(assignment);
    if (refusal.isPresent()) {
      stopFor(known.key(), "it cannot go on: " + refusal.get(), StopOrder.Kind.PREEMPT, effects);
    } else {
      apply(known.suspendedBy(0), AttemptLifecycle.Event.RESUME_ORDERED, Optional.empty(), effects);
    }
  }

  private Optional<String> refusal(Assignment assignment) {
    List<SliceGrant> held =
        attempts.values().stream().flatMap(a -> a.heldSlices().stream()).toList();
    return health
        .refusal(assignment.slices())
        .or(() -> devices.refusal(held, assignment.slices(), assignment.minimumIsolation()));
  }

  private void suspended(AttemptKey key, long suspension, Duration took, List<Effect> effects) {
    Attempt attempt = attempts.get(key);
    if (attempt != null && attempt.state() == AttemptState.STOPPING) {
      StopStep step = StopStep.over(StopStep.Phase.SUSPEND, StopStep.Result.OK, took);
      apply(
          attempt.reported(attempt.stepsReported(), Optional.of(step)).suspendedBy(suspension),
          AttemptLifecycle.Event.SUSPENDED,
          Optional.empty(),
          effects);
    }
  }

  private void notSuspended(AttemptKey key, StopStep step, String problem, List<Effect> effects) {
    Attempt attempt = attempts.get(key);
    if (attempt != null && attempt.state() == AttemptState.STOPPING) {
      Attempt told =
          attempt.stoppedFor(problem).reported(attempt.stepsReported(), Optional.of(step));
      attempts.put(key, told);
      effects.add(new Effect.Report(told.report()));
    }
  }

  private void resumed(AttemptKey key, List<Effect> effects) {
    Attempt attempt = attempts.get(key);
    if (attempt != null && attempt.state() == AttemptState.STARTING) {
      apply(attempt, AttemptLifecycle.Event.STARTED, Optional.empty(), effects);
    }
  }

  private void stopFor(AttemptKey key, String problem, StopOrder.Kind kind, List<Effect> effects) {
    Attempt attempt = attempts.get(key);
    if (attempt != null && attempt.state().compareTo(AttemptState.RELEASING) < 0) {
      apply(
          attempt.stoppedFor(problem),
          AttemptLifecycle.Event.STOP_ORDERED,
          Optional.of(new StopOrder(kind, false)),
          effects);
    }
  }

  /// What cannot go on is stopped. What has just ended by itself, and not well, most likely did so
  /// because of the device.
  private void judged(String uuid, DeviceCondition condition, List<Effect> effects) {
    health.judged(uuid, condition);
    for (Attempt attempt : List.copyOf(attempts.values())) {
      Optional<String> failure = health.failure(attempt.heldSlices());
      if (failure.isEmpty()) {
        continue;
      }
      if (attempt.state().compareTo(AttemptState.RELEASING) < 0) {
        StopOrder order = new StopOrder(StopOrder.Kind.DEVICE_FAILED, false);
        apply(
            attempt.stoppedFor(failure.get()),
            AttemptLifecycle.Event.STOP_ORDERED,
            Optional.of(order),
            effects);
      } else if (attempt.hasFailed()) {
        attempts.put(attempt.key(), attempt.failedBy(EndReason.DEVICE_FAILED, failure.get()));
      }
    }
  }

  private void stopAll(List<Effect> effects) {
    closing = true;
    StopOrder order = new StopOrder(StopOrder.Kind.SHUTDOWN, false);
    for (Attempt attempt : List.copyOf(attempts.values())) {
      if (attempt.state() != AttemptState.ENDED) {
        apply(attempt, AttemptLifecycle.Event.STOP_ORDERED, Optional.of(order), effects);
      }
    }
  }

  private void forget(AttemptKey key, List<Effect> effects) {
    Attempt known = known(key);
    if (known != null && known.state() == AttemptState.ENDED) {
      attempts.remove(known.key());
      effects.add(new Effect.Forget(known.key()));
    }
  }

  private void observe(Input.Observed observed, List<Effect> effects) {
    AttemptKey key = observed.key();
    Observation seen = observed.observation();
    Attempt attempt = attempts.get(key);
    if (attempt == null || attempt.state().compareTo(AttemptState.RELEASING) >= 0) {
      return;
    }
    boolean ran = seen.ending().flatMap(Observation.Ending::error).isEmpty();
    if (ran && attempt.started().isEmpty()) {
      attempt = attempt.startedAt(seen.started());
      attempt = apply(attempt, AttemptLifecycle.Event.STARTED, Optional.empty(), effects);
    }
    List<StopStep> steps = seen.steps();
    if (!steps.isEmpty()) {
      attempt = apply(attempt, AttemptLifecycle.Event.STOP_SEEN, Optional.empty(), effects);
      attempt = reportSteps(attempt, steps, effects);
    }
    attempt = observed.cause().map(attempt::stoppedFor).orElse(attempt);
    attempts.put(key, attempt);
    if (seen.ending().isPresent()) {
      AttemptReport.End end = endOf(attempt, seen.ending().get());
      attempt = attempt.endedBy(end);
      if (attempt.state() == AttemptState.STARTING && attempt.hasFailed()) {
        // It ran before, so it was to go on: what ended it then was not its own doing.
        attempt = attempt.failedBy(EndReason.STOPPED, "it ended before it could go on");
      }
      apply(attempt, AttemptLifecycle.Event.GONE, Optional.empty(), effects);
    }
  }

  private static Attempt reportSteps(Attempt attempt, List<StopStep> steps, List<Effect> effects) {
    // After a restart it is unknown what the scheduler was told; the last step says enough.
    int from = attempt.caughtUp() ? attempt.stepsReported() : steps.size() - 1;
    Attempt current = attempt;
    for (int i = from; i < steps.size(); i++) {
      current = current.reported(i + 1, Optional.of(steps.get(i)));
      effects.add(new Effect.Report(current.report()));
    }
    return current;
  }

  private void gone(
      AttemptKey key,
      AttemptLifecycle.Event event,
      EndReason reason,
      String problem,
      Instant now,
      List<Effect> effects) {
    Attempt attempt = attempts.get(key);
    if (attempt != null && attempt.state().compareTo(AttemptState.RELEASING) < 0) {
      apply(attempt.endedBy(reason, problem, now), event, Optional.empty(), effects);
    }
  }

  private void released(AttemptKey key, Duration took, List<Effect> effects) {
    Attempt attempt = attempts.get(key);
    if (attempt == null || attempt.state() != AttemptState.RELEASING) {
      return;
    }
    if (attempt.step().isPresent()) {
      StopStep cleanup = StopStep.over(StopStep.Phase.CLEANUP, StopStep.Result.OK, took);
      attempt = attempt.reported(attempt.stepsReported(), Optional.of(cleanup));
    }
    apply(attempt, AttemptLifecycle.Event.RELEASED, Optional.empty(), effects);
  }

  private void endUnstarted(
      AttemptKey key, EndReason reason, String problem, Instant now, List<Effect> effects) {
    AttemptReport report = AttemptReport.neverRan(key, reason, problem, now);
    attempts.put(key, Attempt.ended(report));
    effects.add(new Effect.RecordEnd(report));
    effects.add(new Effect.Report(report));
  }

  /// Moves the attempt by the table and adds what the table says.
  private Attempt apply(
      Attempt attempt,
      AttemptLifecycle.Event event,
      Optional<StopOrder> order,
      List<Effect> effects) {
    AttemptLifecycle.Transition transition =
        AttemptLifecycle.transition(attempt.state(), event)
            .orElseThrow(
                () -> new IllegalStateException(event + " of " + attempt.key() + " in " + attempt));
    Attempt next = attempt.in(transition.to());
    attempts.put(next.key(), next);
    for (AttemptLifecycle.Action action : transition.actions()) {
      effects.add(effectOf(action, next, order));
    }
    return next;
  }

  private static Effect effectOf(
      AttemptLifecycle.Action action, Attempt attempt, Optional<StopOrder> order) {
    return switch (action) {
      case SEND_STOP -> new Effect.SendStop(assignmentOf(attempt), order.orElseThrow());
      case RECORD_SUSPENSION -> new Effect.RecordSuspension(attempt.key(), attempt.suspension());
      case RECORD_RESUMPTION -> new Effect.RecordResumption(attempt.key());
      case RESUME -> new Effect.Resume(assignmentOf(attempt));
      case RELEASE -> new Effect.Release(assignmentOf(attempt), false);
      case KILL_AND_RELEASE -> new Effect.Release(assignmentOf(attempt), true);
      case RECORD_END -> new Effect.RecordEnd(attempt.report());
      case REPORT -> new Effect.Report(attempt.report());
    };
  }

  private static Assignment assignmentOf(Attempt attempt) {
    return attempt.assignment().orElseThrow();
  }

  private static AttemptReport.End endOf(Attempt attempt, Observation.Ending ending) {
    EndReason reason = EndReason.ofSupervisor(ending.reason());
    OptionalInt exitCode = ending.exitCode();
    Optional<String> error =
        ending
            .error()
            .or(attempt::cause)
            .or(() ->
                switch (reason) {
                  case LIMIT_EXCEEDED ->
                      Optional.of("it used more GPU memory than its slices have");
                  case DEVICE_FAILED -> Optional.of("a GPU that it had slices of failed");
                  default -> Optional.empty();
                });
    return new AttemptReport.End(reason, exitCode, error, ending.at());
  }
}
