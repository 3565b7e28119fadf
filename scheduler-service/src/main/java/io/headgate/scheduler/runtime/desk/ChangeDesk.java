package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.job.Gate;
import io.headgate.scheduler.core.job.JobEvent;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.WorkerStatus;
import io.headgate.scheduler.runtime.desk.Command.ChangeReply;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.JobMetadata;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.text.DecisionText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// Handles the changes that users ask for: cancellations, requeues and updates. Confined to the
/// loop.
public final class ChangeDesk {
  private final LeaderState state;
  private final JobViews views;
  private final VaultDesk vaults;
  private final UserDesk users;
  private final GateDesk gates;

  public ChangeDesk(LeaderState state, JobViews views, VaultDesk vaults, UserDesk users) {
    this.state = state;
    this.views = views;
    this.vaults = vaults;
    this.users = users;
    this.gates = new GateDesk(state);
  }

  /// Ends a job.
  public void cancel(LoopTurn turn, Command.Cancel cancel) {
    JobRecord known = cancel.known();
    Optional<JobRecord> live = state.jobs.job(known.id());
    if (live.isEmpty()) {
      if (isOutdated(known)) {
        UserDesk.answer(turn, cancel.reply(), new ChangeReply.Outdated());
        return;
      }
      if (known.state().isTerminal()) {
        // It has ended already, which is all that was asked for.
        UserDesk.reply(turn, cancel.reply(), () -> new ChangeReply.Changed(views.of(turn, known)));
        return;
      }
      turn.staged.put(known.id(), known);
    }
    JobRecord job = live.orElse(known);
    if (cancel.skipCallback()) {
      skipCallback(turn, job);
    }
    turn.cancellations.put(job.id(), cancel.cancellation());
    turn.inputs.add(new Input.JobCancelled(job.job()));
    change(turn, job, cancel.reply(), true);
  }

  /// Where the order to stop stays the same as before, only this tells the agents. Another one that
  /// follows says it, too, and what goes before would contradict it.
  private void skipCallback(LoopTurn turn, JobRecord job) {
    state
        .jobs
        .attempt(job.id())
        .filter(attempt -> !attempt.skipCallback())
        .ifPresent(attempt -> {
          AttemptRecord changed = attempt.withSkipCallback();
          state.jobs.change(changed);
          turn.attempts.put(changed.id(), changed);
          boolean stays =
              changed
                  .attempt()
                  .stop()
                  .filter(order ->
                      switch (order.outcome()) {
                        case REQUEUE, SUSPEND -> false;
                        case CANCEL, FAIL, LOSE -> true;
                      })
                  .isPresent();
          List<WorkerStatus> workers = changed.attempt().workers();
          for (int worker = 0; worker < workers.size(); worker++) {
            if (stays && workers.get(worker).isLive()) {
              turn.dispatches.add(state.orders.stop(job, changed, worker));
            }
          }
        });
  }

  public void requeue(LoopTurn turn, Command.Requeue requeue, WaitingCounts waitingMore) {
    JobRecord known = requeue.known();
    Optional<JobRecord> live = state.jobs.job(known.id());
    JobRecord job = live.orElse(known);
    if (live.isEmpty()) {
      Optional<JobRecord> queued = queuedAnew(turn, requeue, waitingMore);
      if (queued.isEmpty()) {
        return;
      }
      job = queued.get();
      turn.staged.put(job.id(), job);
      vaults.taken(job.id(), job.job().spec().queue(), requeue.catalog());
      if (requeue.moved().isPresent()) {
        turn.documents.put(job.id(), requeue.moved().get().document());
      }
    } else if (requeue.moved().isPresent()) {
      UserDesk.answer(
          turn,
          requeue.reply(),
          new ChangeReply.Refused(new Denial.WrongState(job.id(), job.state(), JobEvent.UPDATE)));
      return;
    }
    turn.requeueCauses.put(job.id(), DecisionText.asked(requeue.by()));
    turn.inputs.add(new Input.JobRequeued(job.job()));
    change(turn, job, requeue.reply(), false);
  }

  /// A draft or an ended job as it is queued; empty: it was answered why not.
  private Optional<JobRecord> queuedAnew(
      LoopTurn turn, Command.Requeue requeue, WaitingCounts waitingMore) {
    JobRecord known = requeue.known();
    Optional<ChangeReply> problem = Optional.empty();
    QueueId queue = requeue.moved().map(Command.Moved::queue).orElse(known.job().spec().queue());
    JobSpec spec = known.job().spec().with().queue(queue).build();
    Gate left = Gate.OPEN;
    switch (gates.ofRequeued(known.job().gate(), requeue.prerequisites())) {
      case GateDesk.Found.Left(Gate gate) -> left = gate;
      case GateDesk.Found.NeverMet(var dependency, var ended) ->
          problem = Optional.of(new ChangeReply.NeverMet(dependency, ended));
      case GateDesk.Found.Outdated() -> problem = Optional.of(new ChangeReply.Outdated());
    }
    if (isOutdated(known)) {
      problem = Optional.of(new ChangeReply.Outdated());
    } else if (problem.isEmpty()) {
      problem = problemOf(spec, known.metadata(), waitingMore);
    }
    if (problem.isPresent()) {
      UserDesk.answer(turn, requeue.reply(), problem.get());
      return Optional.empty();
    }
    waitingMore.add(queue, known.metadata().submitter());
    return Optional.of(
        known
            .with(known.job().withSpec(spec).withGate(left, known.job().waitingSince()))
            .with(queuedTo(known.metadata(), queue)));
  }

  /// Why the job cannot be queued there; empty: it can.
  private Optional<ChangeReply> problemOf(
      JobSpec spec, JobMetadata metadata, WaitingCounts waitingMore) {
    Optional<Denial> denial = state.core.check(unused(spec));
    if (denial.isPresent()) {
      return Optional.of(new ChangeReply.Refused(denial.get()));
    }
    if (!users.isAdmitted(spec.queue(), metadata.submitter(), metadata.byRole())) {
      return Optional.of(new ChangeReply.NotAdmitted());
    }
    return users
        .met(spec.queue(), metadata.submitter(), waitingMore)
        .map(ChangeReply.TooManyWaiting::new);
  }

  /// Changes a waiting job, or a draft, which is not queued by that.
  public void update(LoopTurn turn, Command.Update update, WaitingCounts waitingMore) {
    JobRecord known = update.known();
    Optional<JobRecord> live = state.jobs.job(known.id());
    if (live.isEmpty() && isOutdated(known)) {
      UserDesk.answer(turn, update.reply(), new ChangeReply.Outdated());
      return;
    }
    JobRecord job = live.orElse(known);
    if (job.state() != JobState.WAITING && job.state() != JobState.DRAFT) {
      UserDesk.answer(
          turn,
          update.reply(),
          new ChangeReply.Refused(new Denial.WrongState(job.id(), job.state(), JobEvent.UPDATE)));
      return;
    }
    if (turn.updates.containsKey(job.id())
        || (live.isPresent() && live.get().version() != known.version())) {
      UserDesk.answer(turn, update.reply(), new ChangeReply.Outdated());
      return;
    }
    JobSpec spec = update.spec();
    boolean moves = !spec.queue().equals(job.job().spec().queue());
    if (moves) {
      Optional<ChangeReply> problem = problemOf(spec, job.metadata(), waitingMore);
      if (problem.isPresent()) {
        UserDesk.answer(turn, update.reply(), problem.get());
        return;
      }
      vaults.taken(job.id(), spec.queue(), update.catalog());
    }
    JobMetadata metadata = moves ? queuedTo(job.metadata(), spec.queue()) : job.metadata();
    turn.documents.put(job.id(), update.document());
    turn.updates.put(job.id(), new LoopTurn.Updated(metadata, update.what()));
    if (live.isEmpty()) {
      JobRecord draft = job.with(job.job().withSpec(spec)).with(metadata);
      turn.jobs.put(draft.id(), draft);
      turn.note(JobNotes.updated(draft, update.what()));
      UserDesk.reply(turn, update.reply(), () -> new ChangeReply.Changed(views.of(turn, draft)));
      return;
    }
    turn.inputs.add(new Input.JobUpdated(spec));
    change(turn, job, update.reply(), false);
  }

  /// The core's check is about a new job.
  private JobSpec unused(JobSpec spec) {
    return spec.with().id(new JobId(state.lastJob + 1)).build();
  }

  /// Its queue may lead to another policy or profile by now.
  private JobMetadata queuedTo(JobMetadata metadata, QueueId id) {
    Queue queue = state.catalog.queue(id).orElseThrow();
    Profile profile = state.catalog.profile(queue.profile()).orElseThrow();
    return metadata.requeuedTo(
        queue.policy().name(), queue.profile().name(), profile.need(), profile.workers());
  }

  /// The input was added last.
  private void change(
      LoopTurn turn, JobRecord job, CompletableFuture<ChangeReply> reply, boolean isDoneIfRefused) {
    List<Denial> denials = new ArrayList<>();
    turn.refusals.put(turn.inputs.size() - 1, denials::add);
    UserDesk.reply(
        turn,
        reply,
        () ->
            denials.isEmpty() || isDoneIfRefused
                ? new ChangeReply.Changed(views.of(turn, job.id()).orElse(views.of(turn, job)))
                : new ChangeReply.Refused(denials.getFirst()));
  }

  private boolean isOutdated(JobRecord known) {
    Long departed = state.jobs.departedAt(known.id());
    return departed != null && departed > known.version();
  }
}
