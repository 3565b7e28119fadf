package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.job.Gate;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobEvent;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.WorkerStatus;
import io.headgate.scheduler.runtime.desk.Command.ChangeReply;
import io.headgate.scheduler.runtime.desk.Command.SubmitReply;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.Batch;
import io.headgate.scheduler.runtime.record.EventType;
import io.headgate.scheduler.runtime.record.JobMetadata;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.JobRecord.Course;
import io.headgate.scheduler.runtime.record.JobRecord.DraftCause;
import io.headgate.scheduler.runtime.submission.Submission;
import io.headgate.scheduler.runtime.submission.Submission.NewJob;
import io.headgate.scheduler.runtime.text.DecisionText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/// Handles the requests of users. Confined to the loop.
public final class UserDesk {
  private static final DraftCause AS_SUBMITTED =
      new DraftCause("DRAFT", "it was submitted as a draft; requeue it to put it in its queue");

  private final LeaderState state;
  private final JobViews views;
  private final VaultDesk vaults;
  private final GateDesk gates;

  public UserDesk(LeaderState state, JobViews views, VaultDesk vaults) {
    this.state = state;
    this.views = views;
    this.vaults = vaults;
    this.gates = new GateDesk(state);
  }

  /// All or none: every job is checked before the first is taken.
  public void submit(LoopTurn turn, Command.Submit submit, WaitingCounts waitingMore) {
    if (again(turn, submit)) {
      return;
    }
    List<NewJob> jobs = submit.submission().jobs();
    WaitingCounts more = new WaitingCounts();
    more.addAll(waitingMore);
    List<Gate> left = new ArrayList<>(jobs.size());
    for (int i = 0; i < jobs.size(); i++) {
      NewJob job = jobs.get(i);
      JobSpec spec = spec(new JobId(state.lastJob + 1 + i), job);
      Optional<Denial> denial = state.core.check(spec);
      if (denial.isPresent()) {
        answer(turn, submit.reply(), new SubmitReply.Refused(i, denial.get()));
        return;
      }
      // The submitter's rights were checked before the loop; they may have been withdrawn since.
      if (!isAdmitted(job.queue(), job.submitter(), job.byRole())) {
        answer(turn, submit.reply(), new SubmitReply.NotAdmitted(i));
        return;
      }
      switch (gates.ofNew(job, state.lastJob + 1)) {
        case GateDesk.Found.Left(Gate gate) -> left.add(gate);
        case GateDesk.Found.NeverMet(var dependency, var ended) -> {
          answer(turn, submit.reply(), new SubmitReply.NeverMet(i, dependency, ended));
          return;
        }
        case GateDesk.Found.Outdated() -> {
          answer(turn, submit.reply(), new SubmitReply.Outdated());
          return;
        }
      }
      if (!job.draft()) {
        Optional<WaitingBounds.Met> met = met(job.queue(), job.submitter(), more);
        if (met.isPresent()) {
          answer(turn, submit.reply(), new SubmitReply.TooManyWaiting(i, met.get()));
          return;
        }
        more.add(job.queue(), job.submitter());
      }
    }
    jobs.stream()
        .filter(job -> !job.draft())
        .forEach(job -> waitingMore.add(job.queue(), job.submitter()));
    List<JobId> ids = new ArrayList<>(jobs.size());
    for (int i = 0; i < jobs.size(); i++) {
      NewJob job = jobs.get(i);
      JobId id = take(turn, job, left.get(i));
      ids.add(id);
      vaults.taken(id, job.queue(), submit.submission().catalog());
    }
    state.taken.take(submit.submission(), ids, turn.now);
    submit.submission().counters().forEach(turn::count);
    submit
        .submission()
        .request()
        .ifPresent(request ->
            turn.requests.add(
                new Batch.RequestRecord(
                    request.subject(), request.requestId(), request.fingerprint(), ids)));
    reply(turn, submit.reply(), () -> accepted(turn, ids));
  }

  private Optional<WaitingBounds.Met> met(QueueId queue, String submitter, WaitingCounts more) {
    return state.jobs.waiting().met(queue, submitter, more, state.settings.waiting());
  }

  /// Answers a repeated submission that was accepted already but not yet durable when its endpoint
  /// looked.
  private boolean again(LoopTurn turn, Command.Submit submit) {
    Submission submission = submit.submission();
    state.taken.forgetOld(turn.now);
    Optional<List<JobId>> before = submission.request().flatMap(state.taken::jobs);
    if (before.isPresent() && before.get().stream().allMatch(job -> isKnown(turn, job))) {
      reply(turn, submit.reply(), () -> accepted(turn, before.get()));
      return true;
    }
    if (state.taken.hasNameOrIdOf(submission)) {
      submit
          .reply()
          .completeExceptionally(
              new LeadershipLostException("an equal submission is being stored: ask again"));
      return true;
    }
    return false;
  }

  private boolean isKnown(LoopTurn turn, JobId job) {
    return turn.created.contains(job) || views.of(turn, job).isPresent();
  }

  private SubmitReply accepted(LoopTurn turn, List<JobId> jobs) {
    return new SubmitReply.Accepted(
        jobs.stream().flatMap(id -> views.of(turn, id).stream()).toList());
  }

  private boolean isAdmitted(QueueId id, String submitter, boolean byRole) {
    return state
        .catalog
        .queue(id)
        .filter(queue -> state.catalog.admits(queue, submitter, byRole))
        .isPresent();
  }

  private JobId take(LoopTurn turn, NewJob job, Gate gate) {
    JobId id = new JobId(++state.lastJob);
    JobSpec spec = spec(id, job);
    JobRecord record =
        new JobRecord(
            metadata(turn, job),
            Job.submitted(spec, job.draft() ? JobState.DRAFT : JobState.WAITING, 0, turn.now, 0)
                .withGate(gate, turn.now),
            Course.NONE,
            job.draft() ? Optional.of(AS_SUBMITTED) : Optional.empty(),
            Optional.empty(),
            false,
            0);
    turn.created.add(id);
    turn.documents.put(id, job.document());
    if (job.draft()) {
      turn.jobs.put(id, record);
      turn.note(
          EffectRecorder.about(record, EventType.SUBMITTED)
              .message(record.name().id() + " is submitted as a draft"));
    } else {
      turn.staged.put(id, record);
      turn.inputs.add(new Input.JobSubmitted(spec, gate));
    }
    return id;
  }

  private JobMetadata metadata(LoopTurn turn, NewJob job) {
    Queue queue = state.catalog.queue(job.queue()).orElseThrow();
    Profile profile = state.catalog.profile(queue.profile()).orElseThrow();
    return new JobMetadata(
        job.name(),
        queue.policy().name(),
        queue.profile().name(),
        profile.need(),
        profile.workers(),
        job.submitter(),
        job.byRole(),
        job.labels(),
        job.traceparent(),
        turn.now);
  }

  private static JobSpec spec(JobId id, NewJob job) {
    return new JobSpec(
        id,
        job.queue(),
        job.user(),
        job.priority(),
        job.preemptible(),
        job.maxRuntime(),
        job.stopTime(),
        job.suspend(),
        job.movable());
  }

  public void cancel(LoopTurn turn, Command.Cancel cancel) {
    JobRecord known = cancel.known();
    Optional<JobRecord> live = state.jobs.job(known.id());
    if (live.isEmpty()) {
      if (isOutdated(known)) {
        answer(turn, cancel.reply(), new ChangeReply.Outdated());
        return;
      }
      if (known.state().isTerminal()) {
        // It has ended already, which is all that was asked for.
        reply(turn, cancel.reply(), () -> new ChangeReply.Changed(views.of(turn, known)));
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
      answer(
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
      answer(turn, requeue.reply(), problem.get());
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
    if (!isAdmitted(spec.queue(), metadata.submitter(), metadata.byRole())) {
      return Optional.of(new ChangeReply.NotAdmitted());
    }
    return met(spec.queue(), metadata.submitter(), waitingMore)
        .map(ChangeReply.TooManyWaiting::new);
  }

  /// Changes a waiting job, or a draft, which is not queued by that.
  public void update(LoopTurn turn, Command.Update update, WaitingCounts waitingMore) {
    JobRecord known = update.known();
    Optional<JobRecord> live = state.jobs.job(known.id());
    if (live.isEmpty() && isOutdated(known)) {
      answer(turn, update.reply(), new ChangeReply.Outdated());
      return;
    }
    JobRecord job = live.orElse(known);
    if (job.state() != JobState.WAITING && job.state() != JobState.DRAFT) {
      answer(
          turn,
          update.reply(),
          new ChangeReply.Refused(new Denial.WrongState(job.id(), job.state(), JobEvent.UPDATE)));
      return;
    }
    if (turn.updates.containsKey(job.id())
        || (live.isPresent() && live.get().version() != known.version())) {
      answer(turn, update.reply(), new ChangeReply.Outdated());
      return;
    }
    JobSpec spec = update.spec();
    boolean moves = !spec.queue().equals(job.job().spec().queue());
    if (moves) {
      Optional<ChangeReply> problem = problemOf(spec, job.metadata(), waitingMore);
      if (problem.isPresent()) {
        answer(turn, update.reply(), problem.get());
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
      turn.note(EffectRecorder.updated(draft, update.what()));
      reply(turn, update.reply(), () -> new ChangeReply.Changed(views.of(turn, draft)));
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
    reply(
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

  /// An answer that rests on nothing that this turn writes.
  private static <T> void answer(LoopTurn turn, CompletableFuture<T> future, T answer) {
    reply(turn, future, () -> answer);
  }

  public static <T> void reply(LoopTurn turn, CompletableFuture<T> future, Supplier<T> answer) {
    turn.replies.add(new LoopTurn.Reply<>(future, answer));
  }
}
