package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.job.Gate;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.runtime.desk.Command.SubmitReply;
import io.headgate.scheduler.runtime.record.Batch;
import io.headgate.scheduler.runtime.record.EventType;
import io.headgate.scheduler.runtime.record.JobMetadata;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.JobRecord.Course;
import io.headgate.scheduler.runtime.record.JobRecord.DraftCause;
import io.headgate.scheduler.runtime.submission.Submission;
import io.headgate.scheduler.runtime.submission.Submission.NewJob;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/// Takes submissions. Confined to the loop.
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
      GateDesk.Found found = gates.ofNew(job, state.lastJob + 1);
      if (!(found instanceof GateDesk.Found.Left(Gate gate))) {
        answer(turn, submit.reply(), refused(i, found));
        return;
      }
      left.add(gate);
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
    keep(turn, submit, ids);
    reply(turn, submit.reply(), () -> accepted(turn, ids));
  }

  private void keep(LoopTurn turn, Command.Submit submit, List<JobId> ids) {
    state.taken.take(submit.submission(), ids, turn.now);
    submit.submission().counters().forEach(turn::count);
    submit
        .submission()
        .request()
        .ifPresent(request ->
            turn.requests.add(
                new Batch.RequestRecord(
                    request.subject(), request.requestId(), request.fingerprint(), ids)));
  }

  private static SubmitReply refused(int index, GateDesk.Found found) {
    return found instanceof GateDesk.Found.NeverMet(var dependency, var ended)
        ? new SubmitReply.NeverMet(index, dependency, ended)
        : new SubmitReply.Outdated();
  }

  Optional<WaitingBounds.Met> met(QueueId queue, String submitter, WaitingCounts more) {
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

  boolean isAdmitted(QueueId id, String submitter, boolean byRole) {
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
          JobNotes.about(record, EventType.SUBMITTED)
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

  /// An answer that rests on nothing that this turn writes.
  static <T> void answer(LoopTurn turn, CompletableFuture<T> future, T answer) {
    reply(turn, future, () -> answer);
  }

  public static <T> void reply(LoopTurn turn, CompletableFuture<T> future, Supplier<T> answer) {
    turn.replies.add(new LoopTurn.Reply<>(future, answer));
  }
}
