package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.Input;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.catalog.CatalogUpdate;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.catalog.Catalogs;
import io.headgate.scheduler.runtime.catalog.Supply.Machine;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.JobRecord.DraftCause;
import io.headgate.scheduler.runtime.text.DeviceEvents;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;

/// Deals with catalogs that moved. Confined to the loop.
public final class CatalogDesk {
  private static final DraftCause NOT_ADMITTED =
      new DraftCause(
          "NOT_ADMITTED", "its submitter may no longer use the queue; requeue it once they may");

  private final LeaderState state;
  private final VaultDesk vaults;

  /// To start jobs of a queue.
  ///
  /// @param submitter resource name
  /// @param byRole held as an admin or operator
  private record Right(QueueId queue, String submitter, boolean byRole) {}

  public CatalogDesk(LeaderState state, VaultDesk vaults) {
    this.state = state;
    this.vaults = vaults;
  }

  public void moved(LoopTurn turn, String source, CatalogUpdate update) {
    Catalogs.Moved moved = state.catalogs.apply(update, turn.now());
    state.journal.add(source, update.durable());
    adopt(turn, moved);
    if (update instanceof CatalogUpdate.OfSupply supply) {
      machines(turn, supply);
    }
  }

  /// Whether half of a change has waited for the other half long enough.
  public boolean isOverdue(Instant now) {
    return state.catalogs.isOverdue(now);
  }

  /// Takes the halves whose siblings did not come.
  public void takeOverdue(LoopTurn turn) {
    adopt(turn, state.catalogs.takeOverdue(turn.now()));
  }

  private void adopt(LoopTurn turn, Catalogs.Moved moved) {
    turn.catalogs.putAll(state.journal.release(state.catalogs.waiting()));
    CatalogView before = state.catalog;
    state.catalog = state.catalogs.view();
    if (!moved.rights().isEmpty()) {
      withdraw(turn, moved.rights());
      vaults.moved(moved.rights());
    }
    for (TenantId tenant : moved.tenants()) {
      turn.inputs.add(new Input.CatalogChanged(state.catalogs.merged(tenant)));
    }
    state.budgets.moved(turn, moved.tenants());
    Set<TenantId> stored = new HashSet<>(moved.tenants());
    stored.removeIf(tenant -> before.storages(tenant).equals(state.catalog.storages(tenant)));
    if (!stored.isEmpty()) {
      // Which nodes take work depends on the storages of their pools.
      for (NodeRegistry.Entry entry : state.nodes.entries()) {
        if (stored.contains(entry.id.tenant())) {
          tell(turn, entry);
        }
      }
    }
  }

  /// Rights may have gone since a job was submitted; such a job never starts (A1, at start).
  private void withdraw(LoopTurn turn, SortedSet<TenantId> tenants) {
    // Jobs are many, queues and submitters few.
    Map<Right, Boolean> gone = new HashMap<>();
    for (JobRecord job : state.jobs.jobs()) {
      if (job.state() == JobState.WAITING
          && tenants.contains(job.tenant())
          && gone.computeIfAbsent(
              new Right(
                  job.job().spec().queue(), job.metadata().submitter(), job.metadata().byRole()),
              _ -> isNotAdmitted(job))) {
        turn.withdraw(job, NOT_ADMITTED);
      }
    }
  }

  /// A job whose submitter lost the right while it ran goes on running, but what ends its attempt
  /// must not bring it back to its queue. Called when the turn has all its inputs.
  public void withdrawStopped(LoopTurn turn) {
    for (Input input : List.copyOf(turn.inputs)) {
      Optional<AttemptId> ended =
          switch (input) {
            case Input.WorkerExited(var attempt, int _, int _) -> Optional.of(attempt);
            case Input.WorkerStopped(var attempt, int _) -> Optional.of(attempt);
            case Input.WorkerRejected(var attempt, int _, var _) -> Optional.of(attempt);
            case Input.WorkerUndelivered(var attempt, int _, var _) -> Optional.of(attempt);
            case Input.WorkerLost(var attempt, int _) -> Optional.of(attempt);
            default -> Optional.empty();
          };
      ended
          .flatMap(attempt -> state.jobs.job(attempt.job()))
          .ifPresent(job -> withdrawStopped(turn, job));
    }
  }

  private void withdrawStopped(LoopTurn turn, JobRecord job) {
    Optional<DraftCause> bar = state.jobs.bar(job.id());
    if (bar.isPresent()) {
      turn.withdraw(job, bar.get());
    } else if (isNotAdmitted(job)) {
      turn.withdraw(job, NOT_ADMITTED);
    }
  }

  private boolean isNotAdmitted(JobRecord job) {
    Optional<Queue> queue = state.catalog.queue(job.job().spec().queue());
    // A removed queue has its own cause, which the core finds.
    return queue.isPresent()
        && !state.catalog.admits(queue.get(), job.metadata().submitter(), job.metadata().byRole());
  }

  private void machines(LoopTurn turn, CatalogUpdate.OfSupply update) {
    for (Machine machine : update.machines()) {
      NodeRegistry.Entry entry = state.nodes.entry(machine.node().id());
      DeviceEvents.of(entry.machine, machine).forEach(turn::note);
      boolean cleared =
          entry.machine != null && !machine.undrainedAt().equals(entry.machine.undrainedAt());
      entry.machine = machine;
      tell(turn, entry);
      if (cleared) {
        turn.inputs.add(new Input.NodeCleared(machine.node().id()));
      }
    }
    List<NodeId> removed = update.removedNodes();
    if (update.durable().snapshot()) {
      Set<NodeId> there = new HashSet<>();
      update.machines().forEach(machine -> there.add(machine.node().id()));
      removed =
          state.nodes.entries().stream()
              .filter(entry -> entry.machine().isPresent() && !there.contains(entry.id))
              .map(entry -> entry.id)
              .toList();
    }
    for (NodeId node : removed) {
      if (state.nodes.find(node).flatMap(NodeRegistry.Entry::machine).isPresent()) {
        state.nodes.remove(node);
        turn.inputs.add(new Input.NodeRemoved(node));
      }
    }
  }

  /// Tells the core of the node if it is not as the core was told last.
  void tell(LoopTurn turn, NodeRegistry.Entry entry) {
    entry
        .seen(state.windowOpen, state.catalog)
        .filter(node -> !node.equals(entry.passedToCore))
        .ifPresent(node -> {
          entry.passedToCore = node;
          turn.inputs.add(new Input.NodeChanged(node));
        });
  }
}
