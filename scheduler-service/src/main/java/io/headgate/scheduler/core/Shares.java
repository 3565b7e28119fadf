package io.headgate.scheduler.core;

import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.Stake;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveHold;
import java.util.List;

/// Takes the shares of attempts and holds from nodes and pools, and gives them back. An attempt's
/// share depends on its state: give it back before a change of state, and take it afterwards.
///
/// An attempt that will be suspended keeps its main memory and processors, and then has nothing
/// else.
final class Shares {
  private final World world;

  Shares(World world) {
    this.world = world;
  }

  void take(LiveAttempt attempt) {
    change(attempt, 1);
  }

  void giveBack(LiveAttempt attempt) {
    change(attempt, -1);
  }

  void take(LiveHold hold) {
    change(hold, 1);
  }

  void giveBack(LiveHold hold) {
    change(hold, -1);
  }

  private void change(LiveAttempt attempt, int sign) {
    JobId job = attempt.job().id();
    List<NodeState> nodes = attempt.nodes();
    if (!attempt.isKept() && !attempt.isSuspended()) {
      change(job, attempt.assignment().workers(), nodes, attempt.stake(), sign);
      attempt.pool().add(attempt.stake(), sign * attempt.units());
      return;
    }
    WorkerPlace place = attempt.assignment().workers().getFirst();
    if (!attempt.isSuspended()) {
      WorkerPlace slices = new WorkerPlace(place.node(), place.slices(), 0, 0);
      change(job, List.of(slices), nodes, attempt.stake(), sign);
      attempt.pool().add(attempt.stake(), sign * attempt.units());
    }
    WorkerPlace rest =
        new WorkerPlace(place.node(), List.of(), place.cpuMillis(), place.memoryBytes());
    change(job, List.of(rest), nodes, attempt.isKept() ? Stake.KEPT : Stake.STOPPING, sign);
    // Memory kept for a suspended attempt blocks others even when everything else has ended.
    world.changes.placesChanged();
  }

  private void change(LiveHold hold, int sign) {
    change(hold.job().id(), hold.hold().place().workers(), hold.nodes(), Stake.HELD, sign);
    hold.pool().add(Stake.HELD, sign * hold.claim().units());
  }

  private void change(
      JobId job, List<WorkerPlace> places, List<NodeState> nodes, Stake stake, int sign) {
    for (int worker = 0; worker < nodes.size(); worker++) {
      WorkerPlace place = places.get(worker);
      if (sign > 0) {
        nodes.get(worker).add(job, place, stake);
      } else {
        nodes.get(worker).remove(job, place, stake);
      }
    }
    for (int worker = 0; worker < nodes.size(); worker++) {
      NodeState node = nodes.get(worker);
      // Once each, though several workers may be on it.
      if (nodes.indexOf(node) == worker) {
        world.refresh(node);
      }
    }
  }
}
