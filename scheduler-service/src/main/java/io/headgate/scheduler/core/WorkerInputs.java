package io.headgate.scheduler.core;

import io.headgate.scheduler.core.catalog.PreemptionOutcome;
import io.headgate.scheduler.core.job.AttemptEnding;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.BackOff;
import io.headgate.scheduler.core.job.JobEvent;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.StopOrder;
import io.headgate.scheduler.core.job.StopOutcome;
import io.headgate.scheduler.core.job.WorkerStatus;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveJob;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// Applies reports of agents about workers.
final class WorkerInputs {
  private final World world;
  private final Transitions transitions;
  private final NodeInputs nodes;
  private final Instant now;

  WorkerInputs(World world, Transitions transitions, NodeInputs nodes, Instant now) {
    this.world = world;
    this.transitions = transitions;
    this.nodes = nodes;
    this.now = now;
  }

  /// The attempt, if it is its job's live one; null: the news is late or repeated.
  private @Nullable LiveAttempt live(AttemptId id) {
    LiveJob job = world.jobs.get(id.job());
    LiveAttempt attempt = job == null ? null : job.attempt();
    return attempt != null && attempt.id().equals(id) ? attempt : null;
  }

  /// The attempt, if it is live and the worker has not ended; null: the news is late or repeated.
  private @Nullable LiveAttempt live(AttemptId id, int worker) {
    LiveAttempt attempt = live(id);
    return attempt != null
            && worker >= 0
            && worker < attempt.workers()
            && attempt.worker(worker).isLive()
        ? attempt
        : null;
  }

  void started(Input.WorkerStarted input) {
    LiveAttempt attempt = live(input.attempt(), input.worker());
    if (attempt == null || attempt.worker(input.worker()) != WorkerStatus.ASSIGNED) {
      return;
    }
    attempt.setWorker(input.worker(), WorkerStatus.RUNNING);
    attempt.nodes().get(input.worker()).rejections().refute();
    if (attempt.stop() == null && attempt.hasStarted()) {
      attempt.job().accepted(); // One worker of many proves nothing: another node may reject it.
    }
    emitRunning(attempt, input.at());
  }

  private void emitRunning(LiveAttempt attempt, Instant at) {
    if (attempt.hasStarted() && attempt.job().state() == JobState.ASSIGNED) {
      transitions.run(attempt, at);
    }
    transitions.emit(new Effect.AttemptChanged(attempt.toAttempt()));
  }

  void checkpointed(Input.AttemptCheckpointed input) {
    LiveAttempt attempt = live(input.attempt());
    if (attempt != null) {
      attempt.setCheckpoint(input.at());
      if (attempt.job().spec().movable()) {
        world.changes.victimsChanged(); // Its move loses less now.
      }
      transitions.emit(new Effect.AttemptChanged(attempt.toAttempt()));
    }
  }

  void exited(Input.WorkerExited input) {
    LiveAttempt attempt = live(input.attempt(), input.worker());
    if (attempt == null) {
      return;
    }
    if (input.exitCode() != 0) {
      ended(attempt, input.worker(), new AttemptEnding.Exited(input.exitCode()));
      return;
    }
    attempt.setWorker(input.worker(), WorkerStatus.SUCCEEDED);
    if (attempt.hasSucceeded()) {
      transitions.end(attempt, new AttemptEnding.Exited(0), JobEvent.SUCCEED, now);
    } else if (attempt.hasEnded()) {
      finishStopped(attempt);
    } else {
      emitRunning(attempt, now);
    }
  }

  void stopped(Input.WorkerStopped input) {
    LiveAttempt attempt = live(input.attempt(), input.worker());
    if (attempt != null) {
      ended(attempt, input.worker(), new AttemptEnding.Stopped());
    }
  }

  /// Ignores the report if the order is another one by now; its agent hears of that order.
  void suspended(Input.WorkerSuspended input) {
    LiveAttempt attempt = live(input.attempt(), input.worker());
    if (attempt != null
        && attempt.isKept()
        && attempt.worker(input.worker()) != WorkerStatus.SUSPENDED) {
      transitions.suspend(attempt);
    }
  }

  void rejected(Input.WorkerRejected input) {
    LiveAttempt attempt = live(input.attempt(), input.worker());
    if (attempt != null) {
      NodeState node = attempt.nodes().get(input.worker());
      nodes.rejected(node, attempt.job(), now);
      backOff(attempt.job(), node);
      ended(attempt, input.worker(), new AttemptEnding.Rejected(input.reason()));
    }
  }

  void undelivered(Input.WorkerUndelivered input) {
    LiveAttempt attempt = live(input.attempt(), input.worker());
    if (attempt != null) {
      ended(attempt, input.worker(), new AttemptEnding.Rejected(input.reason()));
    }
  }

  /// The job pauses, so that it is not tried again and again, whether the fault is its own or the
  /// node's. Jobs behind it go on, on this node too.
  private void backOff(LiveJob job, NodeState node) {
    BackOff before = job.backOff();
    int inARow = before == null ? 1 : before.rejections() + 1;
    job.backOff(new BackOff(node.id(), inARow, now.plus(NodeInputs.pause(inARow))));
  }

  void lost(Input.WorkerLost input) {
    LiveAttempt attempt = live(input.attempt(), input.worker());
    if (attempt != null) {
      ended(attempt, input.worker(), new AttemptEnding.Lost());
    }
  }

  /// One worker ended without success. The others of its gang have nothing to do without it.
  private void ended(LiveAttempt attempt, int worker, AttemptEnding ending) {
    attempt.setWorker(worker, WorkerStatus.ENDED);
    boolean wasAlone = attempt.workers() == 1;
    if (attempt.stop() == null && !attempt.hasEnded()) {
      StopCause cause = new StopCause.WorkerEnded(worker, ending);
      transitions.stop(attempt, new StopOrder(cause, outcome(attempt, ending), now));
      transitions.emit(new Effect.AttemptChanged(attempt.toAttempt()));
    } else if (!attempt.hasEnded()) {
      transitions.emit(new Effect.AttemptChanged(attempt.toAttempt()));
    } else if (attempt.stop() == null) {
      transitions.end(attempt, ending, eventUnasked(attempt, ending), now);
    } else if (wasAlone && ending instanceof AttemptEnding.Exited && !attempt.isKept()) {
      // The attempt ended before the stop reached it. An attempt may also fail because of its
      // suspension.
      transitions.end(attempt, ending, JobEvent.FAIL, now);
    } else {
      finishStopped(attempt);
    }
  }

  /// All workers of an attempt that was asked to stop have ended, and not all of them well.
  private void finishStopped(LiveAttempt attempt) {
    StopOrder order = attempt.stop();
    if (order == null) {
      throw new IllegalStateException(attempt.id() + " was not asked to stop");
    }
    AttemptEnding ending =
        order.cause() instanceof StopCause.WorkerEnded first
            ? first.ending()
            : new AttemptEnding.Stopped();
    JobEvent event =
        switch (order.outcome()) {
          case REQUEUE, SUSPEND -> JobEvent.REQUEUE;
          case CANCEL -> JobEvent.CANCEL;
          case FAIL -> JobEvent.FAIL;
          case LOSE -> JobEvent.LOSE;
        };
    transitions.end(attempt, ending, event, now);
  }

  private static StopOutcome outcome(LiveAttempt attempt, AttemptEnding ending) {
    return switch (ending) {
      case AttemptEnding.Exited _ -> StopOutcome.FAIL;
      case AttemptEnding.Stopped _, AttemptEnding.Rejected _ -> StopOutcome.REQUEUE;
      case AttemptEnding.Lost _ ->
          attempt.policy().onPreempt() == PreemptionOutcome.REQUEUE
              ? StopOutcome.REQUEUE
              : StopOutcome.LOSE;
    };
  }

  private static JobEvent eventUnasked(LiveAttempt attempt, AttemptEnding ending) {
    return switch (ending) {
      case AttemptEnding.Rejected _ ->
          attempt.job().state() == JobState.ASSIGNED ? JobEvent.REJECT : JobEvent.REQUEUE;
      case AttemptEnding.Exited _, AttemptEnding.Stopped _, AttemptEnding.Lost _ ->
          switch (outcome(attempt, ending)) {
            case FAIL -> JobEvent.FAIL;
            case LOSE -> JobEvent.LOSE;
            case REQUEUE, SUSPEND -> JobEvent.REQUEUE;
            case CANCEL -> JobEvent.CANCEL;
          };
    };
  }
}
