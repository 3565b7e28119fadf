package io.headgate.scheduler.core;

import io.headgate.scheduler.core.catalog.ProfileId;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.job.Job;
import io.headgate.scheduler.core.job.JobEvent;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobLifecycle;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.StopOrder;
import io.headgate.scheduler.core.job.StopOutcome;
import io.headgate.scheduler.core.queue.Lane;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.QueueState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// Applies what users ask for: submissions, cancellations, withdrawals, requeues.
final class JobInputs {
  private final World world;
  private final Transitions transitions;
  private final Instant now;

  JobInputs(World world, Transitions transitions, Instant now) {
    this.world = world;
    this.transitions = transitions;
    this.now = now;
  }

  /// The reason to refuse such a job; empty: it may be queued.
  static Optional<Denial> denial(World world, JobSpec job) {
    if (world.jobs.containsKey(job.id())) {
      return Optional.of(new Denial.DuplicateJob(job.id()));
    }
    QueueState queue = world.knownQueue(job.queue());
    if (queue == null) {
      return Optional.of(new Denial.UnknownQueue(job.queue()));
    }
    Lane lane = world.changes.structureIsStale() ? null : queue.knownLane(job);
    return lane == null ? StructuralCheck.denial(world, queue, job) : lane.denial();
  }

  void submit(int input, JobSpec spec) {
    Optional<Denial> denial = denial(world, spec);
    if (denial.isPresent()) {
      transitions.refuse(input, spec.id(), denial.get());
      return;
    }
    LiveJob job = queued(spec, 0, Optional.empty());
    ProfileId profile = job.queue().resolved().orElseThrow().profile().id();
    if (world.demand(profile.tenant()).ask(profile)) {
      world.expect(profile.tenant());
    }
    transitions.emit(new Effect.JobChanged(job.toJob(), Optional.empty(), JobEvent.SUBMIT));
  }

  /// Puts a job in a new place.
  private LiveJob queued(JobSpec spec, int attempts, Optional<Job> before) {
    QueueState queue = world.queue(spec.queue());
    // One queue id for all its jobs, however many.
    JobSpec own = spec.with().queue(queue.id()).build();
    LiveJob job =
        new LiveJob(
            new Job(
                own,
                JobState.WAITING,
                world.takeSequence(),
                now,
                now,
                attempts,
                before.flatMap(Job::lastPreemption)),
            queue);
    world.jobs.put(job.id(), job);
    transitions.enqueue(job);
    return job;
  }

  void cancel(int input, Job record) {
    LiveJob job = world.jobs.get(record.id());
    if (job == null) {
      cancelForgotten(input, record);
      return;
    }
    LiveAttempt attempt = job.attempt();
    if (attempt == null) {
      transitions.dequeue(job);
      transitions.move(job, JobEvent.CANCEL);
      transitions.forgetIfUnused(job.queue());
      return;
    }
    StopOrder order = attempt.stop();
    if (order == null || leadsBack(order)) {
      transitions.stop(attempt, new StopOrder(new StopCause.Cancelled(), StopOutcome.CANCEL, now));
    }
  }

  private void cancelForgotten(int input, Job record) {
    if (record.state() != JobState.DRAFT) {
      refuse(input, record.id(), record.state(), JobEvent.CANCEL);
      return;
    }
    Job cancelled = record.withState(JobState.CANCELLED);
    transitions.emit(
        new Effect.JobChanged(cancelled, Optional.of(record.state()), JobEvent.CANCEL));
  }

  void withdraw(JobId id) {
    LiveJob job = world.jobs.get(id);
    if (job != null && job.state() == JobState.WAITING) {
      transitions.dequeue(job);
      transitions.move(job, JobEvent.WITHDRAW);
      transitions.forgetIfUnused(job.queue());
    }
  }

  void requeue(int input, Job record) {
    LiveJob job = world.jobs.get(record.id());
    if (job == null) {
      requeueForgotten(input, record);
      return;
    }
    LiveAttempt attempt = job.attempt();
    if (attempt == null) {
      refuse(input, job.id(), job.state(), JobEvent.REQUEUE);
    } else if (attempt.stop() == null || attempt.stop().outcome() == StopOutcome.SUSPEND) {
      transitions.stop(attempt, new StopOrder(new StopCause.Requeued(), StopOutcome.REQUEUE, now));
    } else if (attempt.stop().outcome() != StopOutcome.REQUEUE) {
      refuse(input, job.id(), job.state(), JobEvent.REQUEUE);
    }
  }

  /// Lets jobs go on whose pause after a rejection is over.
  ///
  /// @return these jobs; [#tellReasons] says why they wait once the pass has looked at them
  List<LiveJob> endPauses() {
    List<LiveJob> ended = new ArrayList<>();
    while (!world.backedOff.isEmpty()
        && !Objects.requireNonNull(world.backedOff.first().backOff()).until().isAfter(now)) {
      LiveJob job = world.backedOff.first();
      transitions.endPause(job);
      ended.add(job);
    }
    return ended;
  }

  /// Replaces the reason of a pause that is over, if the job still waits.
  void tellReasons(List<LiveJob> ended) {
    for (LiveJob job : ended) {
      if (job.state() == JobState.WAITING) {
        Reasons.of(job)
            .ifPresent(reason -> transitions.emit(new Effect.JobReasonChanged(job.id(), reason)));
      }
    }
  }

  private static boolean leadsBack(StopOrder order) {
    return order.outcome() == StopOutcome.REQUEUE || order.outcome() == StopOutcome.SUSPEND;
  }

  private void requeueForgotten(int input, Job record) {
    if (record.state() == JobState.WAITING
        || JobLifecycle.next(record.state(), JobEvent.REQUEUE).isEmpty()
        || record.state().hasAttempt()) {
      refuse(input, record.id(), record.state(), JobEvent.REQUEUE);
      return;
    }
    Optional<Denial> denial = denial(world, record.spec());
    if (denial.isPresent()) {
      transitions.refuse(input, record.id(), denial.get());
      return;
    }
    LiveJob job = queued(record.spec(), record.attempts(), Optional.of(record));
    transitions.emit(
        new Effect.JobChanged(job.toJob(), Optional.of(record.state()), JobEvent.REQUEUE));
  }

  private void refuse(int input, JobId job, JobState state, JobEvent event) {
    transitions.refuse(input, job, new Denial.WrongState(job, state, event));
  }
}
