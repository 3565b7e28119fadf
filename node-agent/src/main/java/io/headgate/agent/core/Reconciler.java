package io.headgate.agent.core;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Decides how to bring the attempts on this machine in line with the scheduler's orders.
///
/// A deterministic state machine without clock, disk or network: the same inputs give the same
/// effects. Commands are idempotent by attempt, and nothing that has ended, or was refused, ever
/// starts again. Confined to one thread.
public final class Reconciler {
  private final SliceBook slices;
  private final DeviceBook devices = new DeviceBook();
  private final AttemptBook attempts = new AttemptBook();
  private LeadershipHistory history = LeadershipHistory.NONE;
  private boolean closing;

  public Reconciler(List<DeviceInfo> inventory) {
    this.slices = new SliceBook(inventory);
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
      case Input.GoOrdered ordered -> go(ordered, effects);
      case Input.Prepared(AttemptKey key, WorkerAddress address) ->
          attempts.prepared(key, address, effects);
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
    return attempts.all().stream().map(Attempt::report).toList();
  }

  /// Attempts whose slices are not free yet.
  public long unfinished() {
    return attempts.all().stream().filter(a -> a.state() != AttemptState.ENDED).count();
  }

  /// UUIDs of the devices on which nothing new can be placed, ascending.
  public List<String> unusableDevices() {
    return devices.unusable();
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
        attempts.put(Attempt.ended(end));
        continue;
      }
      Attempt attempt = Attempt.assigned(found.assignment().get(), false);
      // Thus it does not count as running before its resumption is finished.
      attempt = found.lastSeen().map(Observation::started).map(attempt::startedAt).orElse(attempt);
      if (found.sameBoot() && found.suspension() != 0) {
        attempt = attempt.suspendedBy(found.suspension()).in(AttemptState.SUSPENDED);
      }
      attempts.put(attempt);
      if (found.sameBoot()) {
        effects.add(new Effect.Start(found.assignment().get()));
      } else {
        endAcrossBoots(attempt, found, effects);
      }
    }
  }

  /// Neither processes nor slices survive a restart of the machine. An attempt whose end was
  /// recorded before keeps its exit code.
  private void endAcrossBoots(Attempt attempt, Input.Found found, List<Effect> effects) {
    Attempt ended =
        found
            .lastSeen()
            .flatMap(Observation::ending)
            .map(attempt::endedBy)
            .orElseGet(
                () -> attempt.endedBy(EndReason.LOST, "the machine was restarted", found.now()));
    ended = ended.in(AttemptState.ENDED);
    attempts.put(ended);
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

  private void assign(Input.Assigned assigned, List<Effect> effects) {
    if (!obeys(assigned.leadership(), effects)) {
      return;
    }
    Assignment assignment = assigned.assignment();
    Attempt known = attempts.known(assignment.key());
    if (known != null) {
      effects.add(new Effect.Report(known.report()));
      return;
    }
    if (closing) {
      attempts.endUnstarted(
          assignment.key(),
          EndReason.NODE_STOPPED,
          "the agent is closing down",
          assigned.now(),
          effects);
      return;
    }
    Optional<String> refusal = refusal(assignment);
    if (refusal.isPresent()) {
      attempts.endUnstarted(
          assignment.key(), EndReason.REJECTED, refusal.get(), assigned.now(), effects);
      return;
    }
    attempts.put(Attempt.assigned(assignment, true));
    effects.add(new Effect.RecordAssignment(assignment));
    effects.add(new Effect.Start(assignment));
  }

  private void refuseMalformed(Input.Malformed malformed, List<Effect> effects) {
    if (!obeys(malformed.leadership(), effects)) {
      return;
    }
    Attempt known = attempts.known(malformed.key());
    if (known != null) {
      effects.add(new Effect.Report(known.report()));
      return;
    }
    attempts.endUnstarted(
        malformed.key(), malformed.reason(), malformed.problem(), malformed.now(), effects);
  }

  /// The attempt that a command is for; null: the command is not obeyed, or its attempt is unknown.
  /// An unknown attempt is recorded as ended: an assignment that the command overtook must not
  /// start afterwards.
  private @Nullable Attempt commanded(
      Leadership leadership, AttemptKey key, Instant now, List<Effect> effects) {
    if (!obeys(leadership, effects)) {
      return null;
    }
    Attempt known = attempts.known(key);
    if (known == null) {
      attempts.endUnstarted(key, EndReason.LOST, "this machine has no record of it", now, effects);
    }
    return known;
  }

  private void stop(Input.StopOrdered ordered, List<Effect> effects) {
    Attempt known = commanded(ordered.leadership(), ordered.key(), ordered.now(), effects);
    if (known == null) {
      return;
    }
    StopOrder order = ordered.order();
    if (known.state() == AttemptState.SUSPENDED && order.suspension() != 0) {
      // The attempt is suspended already, by an earlier order under another number.
      Attempt still = known.suspendedBy(order.suspension());
      attempts.put(still);
      effects.add(new Effect.RecordSuspension(still.key(), still.suspension()));
      effects.add(new Effect.Report(still.report()));
      return;
    }
    attempts.move(known, AttemptLifecycle.Event.STOP_ORDERED, Optional.of(order), effects);
  }

  /// The devices that it had may be another's meanwhile, or out of order: then it is stopped.
  private void resume(Input.ResumeOrdered ordered, List<Effect> effects) {
    Attempt known = commanded(ordered.leadership(), ordered.key(), ordered.now(), effects);
    if (known == null) {
      return;
    }
    if (known.state() != AttemptState.SUSPENDED) {
      effects.add(new Effect.Report(known.report()));
      return;
    }
    Assignment assignment = known.assignment().orElseThrow();
    Optional<String> refusal = refusal(assignment);
    if (refusal.isPresent()) {
      stopFor(
          known.key(), "it cannot be resumed: " + refusal.get(), StopOrder.Kind.PREEMPT, effects);
    } else {
      attempts.move(
          known.suspendedBy(0), AttemptLifecycle.Event.RESUME_ORDERED, Optional.empty(), effects);
    }
  }

  /// It may not be prepared yet, after a restart of the agent; then it starts as soon as it is.
  private void go(Input.GoOrdered ordered, List<Effect> effects) {
    Attempt known = commanded(ordered.leadership(), ordered.key(), ordered.now(), effects);
    if (known != null && known.state() == AttemptState.STARTING) {
      effects.add(new Effect.Go(known.assignment().orElseThrow(), ordered.rendezvous()));
    }
  }

  private Optional<String> refusal(Assignment assignment) {
    List<SliceGrant> held = attempts.all().stream().flatMap(a -> a.heldSlices().stream()).toList();
    return devices
        .refusal(assignment.slices())
        .or(() -> slices.refusal(held, assignment.slices(), assignment.minimumIsolation()));
  }

  private void suspended(AttemptKey key, long suspension, Duration took, List<Effect> effects) {
    Attempt attempt = attempts.get(key);
    if (attempt != null && attempt.state() == AttemptState.STOPPING) {
      StopStep step = StopStep.over(StopStep.Phase.SUSPEND, StopStep.Result.OK, took);
      attempts.move(
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
      attempts.put(told);
      effects.add(new Effect.Report(told.report()));
    }
  }

  private void resumed(AttemptKey key, List<Effect> effects) {
    Attempt attempt = attempts.get(key);
    if (attempt != null && attempt.state() == AttemptState.STARTING) {
      attempts.move(attempt, AttemptLifecycle.Event.STARTED, Optional.empty(), effects);
    }
  }

  private void stopFor(AttemptKey key, String problem, StopOrder.Kind kind, List<Effect> effects) {
    Attempt attempt = attempts.get(key);
    if (attempt != null && attempt.state().compareTo(AttemptState.RELEASING) < 0) {
      attempts.move(
          attempt.stoppedFor(problem),
          AttemptLifecycle.Event.STOP_ORDERED,
          Optional.of(new StopOrder(kind, false)),
          effects);
    }
  }

  /// Stops the attempts whose slices the device can no longer serve. An attempt that has just
  /// failed by itself most likely failed because of the device.
  private void judged(String uuid, DeviceCondition condition, List<Effect> effects) {
    devices.judged(uuid, condition);
    for (Attempt attempt : attempts.all()) {
      Optional<String> failure = devices.failure(attempt.heldSlices());
      if (failure.isEmpty()) {
        continue;
      }
      if (attempt.state().compareTo(AttemptState.RELEASING) < 0) {
        StopOrder order = new StopOrder(StopOrder.Kind.DEVICE_FAILED, false);
        attempts.move(
            attempt.stoppedFor(failure.get()),
            AttemptLifecycle.Event.STOP_ORDERED,
            Optional.of(order),
            effects);
      } else if (attempt.hasFailed()) {
        attempts.put(attempt.failedBy(EndReason.DEVICE_FAILED, failure.get()));
      }
    }
  }

  private void stopAll(List<Effect> effects) {
    closing = true;
    StopOrder order = new StopOrder(StopOrder.Kind.SHUTDOWN, false);
    for (Attempt attempt : attempts.all()) {
      if (attempt.state() != AttemptState.ENDED) {
        attempts.move(attempt, AttemptLifecycle.Event.STOP_ORDERED, Optional.of(order), effects);
      }
    }
  }

  private void forget(AttemptKey key, List<Effect> effects) {
    Attempt known = attempts.known(key);
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
      attempt = attempts.move(attempt, AttemptLifecycle.Event.STARTED, Optional.empty(), effects);
    }
    List<StopStep> steps = seen.steps();
    if (!steps.isEmpty()) {
      attempt = attempts.move(attempt, AttemptLifecycle.Event.STOP_SEEN, Optional.empty(), effects);
      attempt = reportSteps(attempt, steps, effects);
    }
    attempt = observed.cause().map(attempt::stoppedFor).orElse(attempt);
    attempts.put(attempt);
    if (seen.ending().isPresent()) {
      attempt = attempt.endedBy(seen.ending().get());
      if (attempt.state() == AttemptState.STARTING && attempt.hasFailed()) {
        // The attempt had run and was to resume, so its end was not its own doing.
        attempt = attempt.failedBy(EndReason.STOPPED, "it ended before it could be resumed");
      }
      attempts.move(attempt, AttemptLifecycle.Event.GONE, Optional.empty(), effects);
    }
  }

  private static Attempt reportSteps(Attempt attempt, List<StopStep> steps, List<Effect> effects) {
    // After a restart it is unknown which steps the scheduler knows; the last step says enough.
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
      attempts.move(attempt.endedBy(reason, problem, now), event, Optional.empty(), effects);
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
    attempts.move(attempt, AttemptLifecycle.Event.RELEASED, Optional.empty(), effects);
  }
}
