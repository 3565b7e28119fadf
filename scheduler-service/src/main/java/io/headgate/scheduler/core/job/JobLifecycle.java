package io.headgate.scheduler.core.job;

import static io.headgate.scheduler.core.job.JobEvent.ASSIGN;
import static io.headgate.scheduler.core.job.JobEvent.CANCEL;
import static io.headgate.scheduler.core.job.JobEvent.FAIL;
import static io.headgate.scheduler.core.job.JobEvent.LOSE;
import static io.headgate.scheduler.core.job.JobEvent.REJECT;
import static io.headgate.scheduler.core.job.JobEvent.REQUEUE;
import static io.headgate.scheduler.core.job.JobEvent.RESUME;
import static io.headgate.scheduler.core.job.JobEvent.RUN;
import static io.headgate.scheduler.core.job.JobEvent.STOP;
import static io.headgate.scheduler.core.job.JobEvent.SUBMIT;
import static io.headgate.scheduler.core.job.JobEvent.SUCCEED;
import static io.headgate.scheduler.core.job.JobEvent.SUSPEND;
import static io.headgate.scheduler.core.job.JobEvent.UPDATE;
import static io.headgate.scheduler.core.job.JobEvent.WITHDRAW;
import static io.headgate.scheduler.core.job.JobState.ASSIGNED;
import static io.headgate.scheduler.core.job.JobState.CANCELLED;
import static io.headgate.scheduler.core.job.JobState.DONE;
import static io.headgate.scheduler.core.job.JobState.DRAFT;
import static io.headgate.scheduler.core.job.JobState.FAILED;
import static io.headgate.scheduler.core.job.JobState.LOST;
import static io.headgate.scheduler.core.job.JobState.RUNNING;
import static io.headgate.scheduler.core.job.JobState.STOPPING;
import static io.headgate.scheduler.core.job.JobState.SUSPENDED;
import static io.headgate.scheduler.core.job.JobState.WAITING;

import java.util.List;
import java.util.Optional;

/// The one table of transitions from job state to job state. A transition that is not in it cannot
/// happen.
public final class JobLifecycle {
  /// One row of the table.
  ///
  /// @param from absent: the job does not exist yet
  /// @param meaning for people; the diagram in docs/reference/job-lifecycle.md shows it
  public record Transition(Optional<JobState> from, JobEvent event, JobState to, String meaning) {}

  /// The whole table.
  public static final List<Transition> TRANSITIONS =
      List.of(
          birth(SUBMIT, WAITING, "queued"),
          row(DRAFT, REQUEUE, WAITING, "queued again, in a new place"),
          row(DRAFT, CANCEL, CANCELLED, "given up"),
          row(WAITING, ASSIGN, ASSIGNED, "gets slices"),
          row(WAITING, WITHDRAW, DRAFT, "its queue or its right to it is gone"),
          row(WAITING, CANCEL, CANCELLED, "nothing to stop"),
          row(WAITING, UPDATE, WAITING, "its priority, run time or queue is another"),
          row(ASSIGNED, RUN, RUNNING, "all workers run"),
          row(ASSIGNED, REJECT, WAITING, "agent cannot; original place"),
          row(ASSIGNED, STOP, STOPPING, "stopped before it ran"),
          row(ASSIGNED, SUCCEED, DONE, "over before it was reported"),
          row(ASSIGNED, FAIL, FAILED, "failed before it was reported"),
          row(ASSIGNED, REQUEUE, WAITING, "node lost or shut down; original place"),
          row(ASSIGNED, LOSE, LOST, "node lost; policy cancels"),
          row(RUNNING, STOP, STOPPING, "preempted, cancelled or requeued"),
          row(RUNNING, SUCCEED, DONE, "exit code 0"),
          row(RUNNING, FAIL, FAILED, "another exit code"),
          row(RUNNING, REQUEUE, WAITING, "node lost or shut down; original place"),
          row(RUNNING, LOSE, LOST, "node lost; policy cancels"),
          row(STOPPING, REQUEUE, WAITING, "stopped; original place"),
          row(STOPPING, CANCEL, CANCELLED, "stopped"),
          row(STOPPING, SUCCEED, DONE, "over before the stop reached it"),
          row(STOPPING, FAIL, FAILED, "failed before the stop reached it"),
          row(STOPPING, LOSE, LOST, "node lost; policy cancels"),
          row(STOPPING, SUSPEND, SUSPENDED, "kept in main memory; its slices are free"),
          row(SUSPENDED, RESUME, ASSIGNED, "its slices are its own again"),
          row(SUSPENDED, STOP, STOPPING, "cancelled, requeued, or kept long enough"),
          row(SUSPENDED, REQUEUE, WAITING, "ended where it was kept; original place"),
          row(SUSPENDED, SUCCEED, DONE, "over before it was suspended"),
          row(DONE, REQUEUE, WAITING, "run again, in a new place"),
          row(FAILED, REQUEUE, WAITING, "run again, in a new place"),
          row(CANCELLED, REQUEUE, WAITING, "run again, in a new place"),
          row(LOST, REQUEUE, WAITING, "run again, in a new place"));

  private JobLifecycle() {}

  /// Where the event leads from the state; empty when it cannot happen there.
  public static Optional<JobState> next(JobState from, JobEvent event) {
    for (Transition transition : TRANSITIONS) {
      if (transition.from().isPresent()
          && transition.from().get() == from
          && transition.event() == event) {
        return Optional.of(transition.to());
      }
    }
    return Optional.empty();
  }

  private static Transition row(JobState from, JobEvent event, JobState to, String meaning) {
    return new Transition(Optional.of(from), event, to, meaning);
  }

  private static Transition birth(JobEvent event, JobState to, String meaning) {
    return new Transition(Optional.empty(), event, to, meaning);
  }
}
