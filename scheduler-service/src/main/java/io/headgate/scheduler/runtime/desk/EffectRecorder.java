package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.Effect;
import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.explain.LaneId;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.AttemptEnding;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobEvent;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.StopOrder;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.runtime.agent.AgentCommand;
import io.headgate.scheduler.runtime.agent.Dispatch;
import io.headgate.scheduler.runtime.catalog.Access;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.catalog.Supply;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.AttemptRecord.StopNote;
import io.headgate.scheduler.runtime.record.Cancellation;
import io.headgate.scheduler.runtime.record.Event;
import io.headgate.scheduler.runtime.record.EventType;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.JobRecord.Course;
import io.headgate.scheduler.runtime.record.JobRecord.DraftCause;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.text.DecisionText;
import io.headgate.scheduler.runtime.text.DependencyText;
import io.headgate.scheduler.runtime.text.EndText;
import io.headgate.scheduler.runtime.text.ReasonText;
import io.headgate.scheduler.runtime.text.SetAsideText;
import io.headgate.type.Viewer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// Turns the core's decisions into rows, events and [AgentOrders], and keeps the books in step.
/// Confined to the loop.
public final class EffectRecorder {
  /// While a policy is unknown its jobs run on without contact as long as if it said nothing.
  private static final Duration DEFAULT_STOP_AFTER = Duration.ofMinutes(40);

  /// How many of a lane's first jobs are shown anew when the lane's reason changes.
  private static final int TOUCHED = 100;

  private static final DraftCause QUEUE_REMOVED =
      new DraftCause("QUEUE_REMOVED", "its queue was removed; requeue it once it is back");

  private final Leadership leadership;
  private final AgentOrders orders;
  private final SchedulerCore core;
  private final JobRegistry jobs;
  private final NodeRegistry nodes;

  /// @param orders makes the orders that tell agents of decisions
  EffectRecorder(
      Leadership leadership,
      AgentOrders orders,
      SchedulerCore core,
      JobRegistry jobs,
      NodeRegistry nodes) {
    this.leadership = leadership;
    this.orders = orders;
    this.core = core;
    this.jobs = jobs;
    this.nodes = nodes;
  }

  public void record(LoopTurn turn, Decision decision, CatalogView catalog) {
    for (Effect effect : decision.effects()) {
      switch (effect) {
        case Effect.JobChanged(Job job, var from, JobEvent event) ->
            jobChanged(turn, job, from, event);
        case Effect.StartAttempt(Attempt attempt) -> start(turn, attempt, catalog);
        case Effect.AttemptChanged(Attempt attempt) ->
            jobs.attempt(attempt.id()).ifPresent(known -> change(turn, known.with(attempt)));
        case Effect.StopAttempt(AttemptId attempt, StopOrder order) ->
            jobs.attempt(attempt).ifPresent(known -> stop(turn, known, order));
        case Effect.AttemptSuspended(Attempt attempt) ->
            jobs.attempt(attempt.id())
                .ifPresent(known -> change(turn, known.with(attempt).unmetered()));
        case Effect.ResumeAttempt(Attempt attempt) ->
            jobs.attempt(attempt.id()).ifPresent(known -> resume(turn, known, attempt));
        case Effect.AttemptEnded(Attempt attempt, AttemptEnding ending) ->
            jobs.attempt(attempt.id()).ifPresent(known -> end(turn, known.with(attempt), ending));
        case Effect.HoldPlaced(var hold) -> {
          jobs.hold(hold);
          turn.holds.put(hold.job(), hold);
        }
        case Effect.HoldReleased(JobId job, var _) -> {
          jobs.release(job);
          turn.holds.remove(job);
          turn.releasedHolds.add(job);
        }
        case Effect.HoldPauseChanged(JobId job, var pause) ->
            jobs.job(job).ifPresent(known -> keep(turn, known.withHoldPause(pause)));
        case Effect.HeadroomHoldChanged(JobId job, var headroom) ->
            jobs.job(job).ifPresent(known -> keep(turn, known.withHeadroom(headroom)));
        case Effect.GateChanged(JobId job, var gate, var since) ->
            jobs.job(job)
                .ifPresent(known -> keep(turn, known.with(known.job().withGate(gate, since))));
        case Effect.DependencyFailed(JobId job, var dependency, var ended) ->
            turn.cancellations.put(
                job, Cancellation.byDependency(DependencyText.unmet(dependency, ended)));
        case Effect.PastUseChanged(var past) -> turn.pastUse.add(past);
        case Effect.LaneReasonChanged(LaneId lane, var reason) -> laneReason(turn, lane, reason);
        case Effect.JobReasonChanged(JobId job, var _) -> turn.touched.add(job);
        // No provider is connected to the live service yet, so no pool of it is elastic.
        case Effect.ScalePool _, Effect.ReleaseNode _ -> {}
        case Effect.NodeSetAside(var node, var until, var evidence) ->
            turn.note(
                new Event(EventType.NODE_SET_ASIDE, node.tenant())
                    .node(node.name())
                    .message(SetAsideText.sentence(node, until, evidence)));
      }
    }
  }

  private void jobChanged(LoopTurn turn, Job job, Optional<JobState> from, JobEvent event) {
    Optional<JobRecord> known =
        Optional.ofNullable(turn.jobs.get(job.id()))
            .or(() -> jobs.job(job.id()))
            .or(() -> Optional.ofNullable(turn.staged.get(job.id())));
    if (known.isEmpty()) {
      throw new IllegalStateException(
          "the core changed job " + job.id() + ", which is not in memory");
    }
    JobRecord record = known.get().with(job);
    switch (event) {
      case SUBMIT -> {
        keep(turn, record);
        turn.note(
            JobNotes.about(record, EventType.SUBMITTED)
                .message(
                    "%s is submitted to %s"
                        .formatted(record.name().id(), job.spec().queue().name())));
      }
      case WITHDRAW -> toDraft(turn, record, turn.drafts.getOrDefault(job.id(), QUEUE_REMOVED));
      case ASSIGN, STOP, RESUME -> keep(turn, record);
      case UPDATE -> updated(turn, record);
      case SUSPEND -> {
        keep(turn, record);
        turn.note(
            JobNotes.suspended(record, core.reason(job.id()).map(ReasonText::sentence).orElse("")));
      }
      case RUN -> {
        Optional<Instant> startedAt = core.attempt(job.id()).flatMap(Attempt::startedAt);
        keep(
            turn,
            record.with(
                new Course(
                    startedAt.or(() -> Optional.of(turn.now)),
                    Optional.empty(),
                    record.course().exitCode())));
        turn.note(
            JobNotes.about(record, EventType.STARTED)
                .attempt(job.attempts())
                .message(record.name().id() + " runs"));
      }
      case REJECT, REQUEUE -> backToQueue(turn, record, from, event);
      case SUCCEED, FAIL, CANCEL, LOSE -> finish(turn, record);
    }
  }

  private void backToQueue(
      LoopTurn turn, JobRecord record, Optional<JobState> from, JobEvent event) {
    boolean ran = from.isPresent() && from.get().hasAttempt();
    keep(
        turn,
        ran
            ? record
            : record
                .with(Course.NONE)
                .with(Optional.<DraftCause>empty())
                .cancelled(Optional.empty()));
    turn.note(
        JobNotes.about(record, ran ? EventType.REQUEUED : EventType.QUEUED)
            .attempt(record.job().attempts())
            .message(
                ran
                    ? RequeueText.after(event, record, jobs.holdOf(record.id()), turn)
                    : record.name().id()
                        + " waits in its queue, in a new place"
                        + turn.requeueCauses.getOrDefault(record.id(), ""))
            .detail(DecisionText.detail("standing", lastStanding(record))));
  }

  private void updated(LoopTurn turn, JobRecord record) {
    LoopTurn.Updated updated = Objects.requireNonNull(turn.updates.get(record.id()));
    JobRecord changed = record.with(updated.metadata());
    keep(turn, changed);
    turn.note(JobNotes.updated(changed, updated.what()));
  }

  private void toDraft(LoopTurn turn, JobRecord record, DraftCause cause) {
    JobRecord draft = record.with(Optional.of(cause));
    turn.jobs.put(draft.id(), draft);
    jobs.remove(draft);
    turn.note(
        JobNotes.about(draft, EventType.QUEUED)
            .message(draft.name().id() + " is a draft now: " + cause.message())
            .detail(DecisionText.detail("code", cause.code())));
  }

  private void finish(LoopTurn turn, JobRecord record) {
    JobRecord done =
        record
            .with(
                new Course(
                    record.course().startedAt(), Optional.of(turn.now), record.course().exitCode()))
            .cancelled(
                Optional.ofNullable(turn.cancellations.get(record.id())).or(record::cancellation));
    turn.jobs.put(done.id(), done);
    jobs.remove(done);
    String code = done.course().exitCode().map(String::valueOf).orElse("");
    turn.note(
        JobNotes.about(done, EventType.FINISHED)
            .attempt(done.job().attempts())
            .message(EndText.sentence(done) + JobNotes.gangsCause(turn, done))
            .detail(
                DecisionText.detail(
                    "state",
                    done.state().name(),
                    "exitCode",
                    code,
                    "by",
                    done.cancellation().map(Cancellation::by).orElse(""),
                    "reason",
                    done.cancellation().map(Cancellation::reason).orElse(""),
                    "standing",
                    lastStanding(done))));
  }

  /// The standing of the job's last attempt; empty: it never ran.
  private String lastStanding(JobRecord job) {
    int attempts = job.job().attempts();
    return attempts == 0 ? "" : standing(new AttemptId(job.id(), attempts));
  }

  /// The standing of an attempt that begins or ends with the decision; empty: it does neither.
  private String standing(AttemptId attempt) {
    return core.standing(attempt).orElse("");
  }

  private void start(LoopTurn turn, Attempt attempt, CatalogView catalog) {
    JobRecord job = jobs.job(attempt.id().job()).orElseThrow();
    Optional<Access.Rights> rights = catalog.rights(job.tenant(), attempt.policy().name());
    // Absent rights and "never" differ: only a policy may say never.
    Optional<Duration> stopAfter =
        rights.isPresent() ? rights.get().stopAfter() : Optional.of(DEFAULT_STOP_AFTER);
    AttemptRecord record = AttemptRecord.begin(attempt, leadership.epoch(), stopAfter);
    jobs.begin(record);
    turn.attempts.put(attempt.id(), record);
    List<WorkerPlace> places = attempt.assignment().workers();
    if (!job.simulated() && places.stream().anyMatch(place -> isSimulated(place))) {
      job = job.onSimulatedDevices();
      keep(turn, job);
    }
    for (int worker = 0; worker < places.size(); worker++) {
      turn.dispatches.add(orders.run(turn, job, record, worker, catalog));
    }
    turn.note(
        JobNotes.about(job, EventType.ASSIGNED)
            .attempt(attempt.id().number())
            .pool(attempt.assignment().pool().name())
            .places(places)
            .message(DecisionText.assigned(job, attempt.id().number(), attempt.assignment()))
            .detail(
                DecisionText.detail(
                    "gpus", job.metadata().gpus().toString(), "standing", standing(attempt.id()))));
  }

  private boolean isSimulated(WorkerPlace place) {
    return nodes
        .find(place.node())
        .flatMap(NodeRegistry.Entry::machine)
        .map(Supply.Machine::simulated)
        .orElse(false);
  }

  private void stop(LoopTurn turn, AttemptRecord attempt, StopOrder order) {
    JobRecord job = jobs.job(attempt.id().job()).orElseThrow();
    Cancellation cancellation = turn.cancellations.get(job.id());
    if (cancellation != null && order.cause() instanceof StopCause.Cancelled) {
      job = job.cancelled(Optional.of(cancellation));
      keep(turn, job);
    }
    String by =
        order.cause() instanceof StopCause.Preempted(JobId winner, var _, var _)
            ? jobs.job(winner).map(each -> each.name().id()).orElse("another job")
            : "";
    String message =
        order.cause() instanceof StopCause.Requeued
            ? requeued(turn, job, attempt, order)
            : DecisionText.stop(job, attempt.attempt(), order, by);
    if (order.cause() instanceof StopCause.Preempted(var _, var rule, var grounds)
        && !grounds.winner().policy().tenant().equals(job.tenant())) {
      // The one tenant learns no name of the other.
      by = Viewer.ANOTHER_TEAMS_JOB;
      message = DecisionText.byAnotherTeam(job.name().id(), rule.name());
    }
    AttemptRecord stopping =
        attempt
            .with(EndText.withStop(attempt.attempt(), order))
            .withStop(new StopNote(by, message));
    change(turn, stopping);
    for (int worker = 0; worker < stopping.attempt().workers().size(); worker++) {
      if (stopping.attempt().workers().get(worker).isLive()) {
        turn.dispatches.add(orders.stop(job, stopping, worker));
      }
    }
    switch (order.cause()) {
      case StopCause.Preempted(JobId winner, var rule, var grounds) ->
          turn.note(
              JobNotes.about(job, EventType.PREEMPTED)
                  .attempt(attempt.id().number())
                  .pool(attempt.attempt().assignment().pool().name())
                  .preemption(by, rule.name())
                  .message(message)
                  .detail(JobNotes.detail(grounds, by, jobs.job(winner))));
      case StopCause.Cancelled(), StopCause.Requeued(), StopCause.SuspensionOver() ->
          turn.note(
              JobNotes.about(job, EventType.STOPPING)
                  .attempt(attempt.id().number())
                  .message(message));
      case StopCause.WorkerEnded(var _, var _) -> {
        // The event of the job's end covers the end of its worker.
      }
    }
  }

  private String requeued(LoopTurn turn, JobRecord job, AttemptRecord attempt, StopOrder order) {
    Optional<DraftCause> bar = jobs.bar(job.id());
    return bar.isPresent()
        ? job.name().id() + " is stopped before it starts: " + bar.get().message()
        : DecisionText.stop(
            job, attempt.attempt(), order, turn.requeueCauses.getOrDefault(job.id(), ""));
  }

  private void resume(LoopTurn turn, AttemptRecord suspended, Attempt attempt) {
    AttemptRecord resumed = suspended.resumed(attempt);
    change(turn, resumed);
    JobRecord job = jobs.job(attempt.id().job()).orElseThrow();
    turn.dispatches.add(orders.resume(job, resumed));
    turn.note(JobNotes.resumed(job, attempt));
  }

  private void end(LoopTurn turn, AttemptRecord attempt, AttemptEnding ending) {
    AttemptRecord ended = attempt.withEnding(EndText.of(attempt, ending, turn.now));
    turn.attempts.put(ended.id(), ended);
    jobs.end(ended);
    JobRecord job = jobs.job(ended.id().job()).orElseThrow();
    Course course = job.course();
    Optional<Integer> exitCode = ended.ending().flatMap(AttemptRecord.Ending::exitCode);
    job = job.with(new Course(course.startedAt(), course.finishedAt(), exitCode));
    keep(turn, job);
    List<WorkerPlace> places = ended.attempt().assignment().workers();
    for (int worker = 0; worker < places.size(); worker++) {
      turn.dispatches.add(
          new Dispatch.Say(
              places.get(worker).node(), new AgentCommand.Forget(job.worker(ended.id(), worker))));
    }
  }

  private void change(LoopTurn turn, AttemptRecord attempt) {
    jobs.change(attempt);
    turn.attempts.put(attempt.id(), attempt);
  }

  private void keep(LoopTurn turn, JobRecord job) {
    turn.jobs.put(job.id(), job);
    jobs.put(job);
  }

  private void laneReason(LoopTurn turn, LaneId lane, Reason reason) {
    List<JobId> first = core.waiting(lane.queue(), TOUCHED);
    turn.touched.addAll(first);
    first.stream()
        .findFirst()
        .flatMap(jobs::job)
        .ifPresent(head ->
            turn.note(
                JobNotes.about(head, EventType.REASON_CHANGED)
                    .message(head.name().id() + " waits: " + ReasonText.sentence(reason))
                    .detail(ReasonText.detail(reason))));
  }
}
