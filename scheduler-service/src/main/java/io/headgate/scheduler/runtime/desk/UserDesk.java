package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.job.Job;
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

  public UserDesk(LeaderState state, JobViews views, VaultDesk vaults) {
    this.state = state;
    this.views = views;
    this.vaults = vaults;
  }

  /// All or none: every job is checked before the first is taken.
  public void submit(LoopTurn turn, Command.Submit submit, WaitingCounts waitingMore) {
    if (again(turn, submit)) {
      return;
    }
    List<NewJob> jobs = submit.submission().jobs();
    WaitingCounts more = new WaitingCounts();
    more.addAll(waitingMore);
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
    for (NewJob job : jobs) {
      JobId id = take(turn, job);
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

  private JobId take(LoopTurn turn, NewJob job) {
    JobId id = new JobId(++state.lastJob);
    JobSpec spec = spec(id, job);
    JobRecord record =
        new JobRecord(
            metadata(turn, job),
            Job.submitted(spec, job.draft() ? JobState.DRAFT : JobState.WAITING, 0, turn.now, 0),
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
      turn.inputs.add(new Input.JobSubmitted(spec));
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
    if (live.isEmpty()) {
      if (isOutdated(known)) {
        answer(turn, requeue.reply(), new ChangeReply.Outdated());
        return;
      }
      Optional<Denial> denial = state.core.check(unused(known));
      if (denial.isPresent()) {
        answer(turn, requeue.reply(), new ChangeReply.Refused(denial.get()));
        return;
      }
      QueueId queue = known.job().spec().queue();
      String submitter = known.metadata().submitter();
      if (!isAdmitted(queue, submitter, known.metadata().byRole())) {
        answer(turn, requeue.reply(), new ChangeReply.NotAdmitted());
        return;
      }
      Optional<WaitingBounds.Met> met = met(queue, submitter, waitingMore);
      if (met.isPresent()) {
        answer(turn, requeue.reply(), new ChangeReply.TooManyWaiting(met.get()));
        return;
      }
      waitingMore.add(queue, submitter);
      turn.staged.put(
          known.id(), known.with(requeuedTo(known.metadata(), known.job().spec().queue())));
      vaults.taken(known.id(), known.job().spec().queue(), requeue.catalog());
    }
    JobRecord job = live.orElse(known);
    turn.requeueCauses.put(job.id(), DecisionText.asked(requeue.by()));
    turn.inputs.add(new Input.JobRequeued(job.job()));
    change(turn, job, requeue.reply(), false);
  }

  /// The core's check is about a new job.
  private JobSpec unused(JobRecord job) {
    JobSpec spec = job.job().spec();
    return spec.with().id(new JobId(state.lastJob + 1)).build();
  }

  /// Its queue may lead to another policy or profile by now.
  private JobMetadata requeuedTo(JobMetadata metadata, QueueId id) {
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
