package io.headgate.scheduler.simulation;

import io.headgate.scheduler.core.Decision;
import io.headgate.scheduler.core.Effect;
import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.explain.ReasonDetail;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.StopOrder;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.simulation.SimulatedJob.Phase;
import io.headgate.scheduler.simulation.SimulationEvent.StopResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// Carries out the core's decisions, as agents would, and reports them.
final class EffectExecutor {
  private final SimulationContext context;

  EffectExecutor(SimulationContext context) {
    this.context = context;
  }

  /// Carries out the decisions.
  ///
  /// @return inputs that follow without delay
  List<Input> follow(List<Input> batch, Decision decision, long atMs) {
    List<Input> next = new ArrayList<>();
    for (Decision.Refusal refusal : decision.refusals()) {
      refused(context.jobs.get(refusal.job()), batch.get(refusal.input()), refusal.denial(), atMs);
    }
    StopCause cause = null;
    for (Effect effect : decision.effects()) {
      switch (effect) {
        case Effect.JobChanged changed -> changed(changed, cause, atMs);
        case Effect.StartAttempt(var attempt) -> start(attempt, atMs, next);
        case Effect.StopAttempt(var attempt, var order) ->
            context.jobs.live(attempt).ifPresent(job -> stop(job, order, atMs));
        case Effect.AttemptEnded(var attempt, var _) -> {
          cause = attempt.stop().map(StopOrder::cause).orElse(null);
          context.meter.use(-attempt.assignment().units());
        }
        case Effect.HoldPlaced(var hold) -> context.reasonsToCheck.add(hold.job());
        case Effect.HoldReleased(var job, var _) -> context.reasonsToCheck.add(job);
        case Effect.JobReasonChanged(var job, var _) -> context.reasonsToCheck.add(job);
        case Effect.LaneReasonChanged(var lane, var _) -> {
          if (context.emitsReasons) {
            for (SimulatedJob job : context.jobs.waiting(lane.queue())) {
              context.reasonsToCheck.add(job.id);
            }
          }
        }
        case Effect.ScalePool(var pool, int instances) -> scale(pool, instances, atMs);
        case Effect.ReleaseNode(var node) -> {
          release(node, atMs);
          next.add(new Input.NodeRemoved(node));
        }
        // Jobs of a simulation do not ask for suspension; attempts suspended before 0s are stopped.
        case Effect.AttemptChanged _,
            Effect.AttemptSuspended _,
            Effect.ResumeAttempt _,
            Effect.HoldPauseChanged _,
            Effect.HeadroomHoldChanged _,
            Effect.GateChanged _,
            Effect.DependencyFailed _,
            Effect.PastUseChanged _,
            Effect.NodeSetAside _ -> {}
      }
    }
    return next;
  }

  private void refused(SimulatedJob job, Input input, Denial denial, long atMs) {
    switch (input) {
      case Input.JobSubmitted _ -> {
        context.jobs.move(job, Phase.NEVER_FITS);
        if (!(job.emittedReason instanceof Reason.NeverFits)) {
          job.denial = denial;
          context.reasonsToCheck.add(job.id);
        }
      }
      case Input.JobCancelled _ when job.phase == Phase.NEVER_FITS -> context.giveUp(job, atMs);
      default -> {}
    }
  }

  private void start(Attempt attempt, long atMs, List<Input> next) {
    SimulatedJob job = context.jobs.get(attempt.id().job());
    context.jobs.move(job, Phase.RUNNING);
    context.reasonsToCheck.remove(job.id);
    job.start(attempt.id().number(), attempt.assignment(), atMs);
    context.meter.waited(attempt.policy(), atMs - job.waitsSinceMs);
    context.meter.startedAhead(attempt.policy(), job.waitsSinceMs, atMs);
    context.meter.use(job.units());
    context.out.accept(
        new SimulationEvent.Start(
            atMs, job.name(), job.attempt, job.plan.queue().name(), attempt.assignment()));
    for (int worker = 0; worker < job.workers().size(); worker++) {
      next.add(new Input.WorkerStarted(attempt.id(), worker, context.instantOf(atMs)));
    }
    context.scheduleEnd(job);
  }

  private void stop(SimulatedJob job, StopOrder order, long atMs) {
    if (job.stopMs.isPresent()) {
      return;
    }
    job.stopMs = OptionalLong.of(atMs);
    context.timeline.add(
        atMs + context.options.stopTime().toMillis(), new Timeline.Due.Stopped(job.attemptId()));
    if (order.cause() instanceof StopCause.Preempted preempted) {
      context.meter.preemptions++;
      context.out.accept(
          new SimulationEvent.Preempt(
              atMs,
              job.name(),
              job.attempt,
              context.jobs.get(preempted.by()).name(),
              preempted.rule().name()));
    }
  }

  private void scale(PoolId pool, int instances, long atMs) {
    context.out.accept(new SimulationEvent.Scale(atMs, pool.name(), instances));
    for (NodeId node : context.nodes.scale(pool, instances)) {
      context.timeline.add(
          atMs + context.options.provisionTime().toMillis(), new Timeline.Due.Joined(node));
    }
  }

  private void release(NodeId id, long atMs) {
    context.capacityChanged = true;
    context
        .nodes
        .leave(id)
        .ifPresent(
            pool -> context.out.accept(new SimulationEvent.Leave(atMs, pool.name(), id.name())));
  }

  private void changed(Effect.JobChanged changed, @Nullable StopCause cause, long atMs) {
    SimulatedJob job = context.jobs.get(changed.job().id());
    boolean ran = changed.from().map(JobState::hasAttempt).orElse(false);
    switch (changed.event()) {
      case SUBMIT -> context.reasonsToCheck.add(job.id);
      case REQUEUE -> {
        interrupted(job, StopResult.REQUEUED, Phase.WAITING, true, atMs);
        job.waitsSinceMs = atMs;
        context.reasonsToCheck.add(job.id);
      }
      case CANCEL -> {
        if (ran) {
          boolean wasTaken = cause instanceof StopCause.Preempted;
          interrupted(job, StopResult.CANCELLED, Phase.CANCELLED, wasTaken, atMs);
        } else {
          context.giveUp(job, atMs);
        }
      }
      case SUCCEED -> {
        context.jobs.move(job, Phase.FINISHED);
        context.out.accept(new SimulationEvent.Finish(atMs, job.name(), job.attempt));
      }
      case FAIL -> interrupted(job, StopResult.FAILED, Phase.CANCELLED, false, atMs);
      case LOSE -> interrupted(job, StopResult.LOST, Phase.CANCELLED, true, atMs);
      case WITHDRAW -> {
        context.jobs.move(job, Phase.CANCELLED);
        context.reasonsToCheck.remove(job.id);
        context.out.accept(new SimulationEvent.Draft(atMs, job.name()));
      }
      case ASSIGN, RUN, REJECT, STOP, SUSPEND, RESUME, UPDATE -> {}
    }
  }

  private void interrupted(
      SimulatedJob job, StopResult result, Phase phase, boolean loses, long atMs) {
    long lostMs = job.interrupt(atMs);
    if (loses) {
      context.meter.lose(job.units(), lostMs);
    }
    context.jobs.move(job, phase);
    context.out.accept(new SimulationEvent.Stop(atMs, job.name(), job.attempt, result));
  }

  /// Reports the reasons of waiting jobs that changed since they were last reported.
  void emitReasons(long atMs) {
    if (!context.emitsReasons) {
      context.reasonsToCheck.clear();
      return;
    }
    for (JobId id : context.reasonsToCheck) {
      SimulatedJob job = context.jobs.get(id);
      Reason reason =
          switch (job.phase) {
            case WAITING -> context.core.reason(id).orElse(null);
            case NEVER_FITS -> job.denial == null ? null : new Reason.NeverFits(job.denial);
            case RUNNING, FINISHED, CANCELLED -> null;
          };
      if (reason != null && (job.emittedReason == null || !reason.isSameCause(job.emittedReason))) {
        job.emittedReason = reason;
        context.out.accept(
            new SimulationEvent.Wait(atMs, job.name(), reason.code(), detail(reason)));
      }
    }
    context.reasonsToCheck.clear();
  }

  /// The numbers, with job names and times of the scenario.
  private Map<String, String> detail(Reason reason) {
    Map<String, String> detail = new LinkedHashMap<>(ReasonDetail.of(reason));
    JobId holder =
        switch (reason) {
          case Reason.Hold hold -> hold.holder();
          case Reason.HeldInLimit hold -> hold.holder();
          default -> null;
        };
    if (holder != null) {
      detail.replace("holder", context.jobs.get(holder).name());
    }
    if (reason instanceof Reason.HeldInLimit held) {
      held.until().ifPresent(at -> detail.replace("until", JsonLines.time(context.msOf(at))));
    }
    if (reason instanceof Reason.Holding holding) {
      holding
          .expectedStart()
          .ifPresent(at -> detail.replace("expectedStart", JsonLines.time(context.msOf(at))));
    }
    return detail;
  }
}
