package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.catalog.Profile;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.job.Attempt;
import io.headgate.scheduler.core.job.StopCause;
import io.headgate.scheduler.core.job.StopOrder;
import io.headgate.scheduler.core.job.StopOutcome;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.agent.AgentCommand;
import io.headgate.scheduler.runtime.agent.AgentCommand.StopKind;
import io.headgate.scheduler.runtime.agent.Dispatch;
import io.headgate.scheduler.runtime.agent.WorkerAddress;
import io.headgate.scheduler.runtime.catalog.Access;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.catalog.Grace;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.record.WorkerKey;
import io.headgate.scheduler.runtime.trace.JobTrace;
import io.headgate.scheduler.runtime.trace.Sampling;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The orders that a leader sends to agents for an attempt: when it decides, and again to an agent
/// that has missed the order.
final class AgentOrders {
  private final Leadership leadership;
  private final Sampling sampling;

  /// Orders of this leader.
  ///
  /// @param sampling says whether a job's trace is written
  AgentOrders(Leadership leadership, Sampling sampling) {
    this.leadership = leadership;
    this.sampling = sampling;
  }

  /// The order to run a worker.
  Dispatch run(
      LoopTurn turn, JobRecord job, AttemptRecord attempt, int worker, CatalogView catalog) {
    Attempt decided = attempt.attempt();
    WorkerPlace place = decided.assignment().workers().get(worker);
    Isolation isolation =
        catalog.profile(decided.profile()).map(Profile::isolation).orElse(Isolation.NONE);
    QueueId queue = job.job().spec().queue();
    return new Dispatch.Run(
        place.node(),
        new WorkerKey(attempt.id(), worker),
        new AgentCommand.Assign(
            leadership,
            job.worker(attempt.id(), worker),
            decided.workers().size(),
            job.metadata(),
            sampling.traceparent(JobTrace.of(job), attempt.id().number()),
            queue.name(),
            job.job().spec().user().name(),
            place,
            job.job().spec().maxRuntime(),
            attempt.stopAfter(),
            catalog
                .rights(job.tenant(), decided.policy().name())
                .map(Access.Rights::grace)
                .orElse(Grace.NONE),
            isolation,
            catalog.storage(decided.assignment().pool()),
            Map.of(),
            Document.EMPTY),
        catalog.vaults(queue),
        Optional.ofNullable(turn.documents.get(job.id())));
  }

  /// To stop a worker, as its attempt's order says.
  Dispatch stop(JobRecord job, AttemptRecord attempt, int worker) {
    StopKind kind =
        attempt
            .attempt()
            .stop()
            .map(order ->
                switch (order.cause()) {
                  case StopCause.Preempted(var _, var _, var _),
                      StopCause.Requeued(),
                      StopCause.SuspensionOver() ->
                      StopKind.PREEMPT;
                  case StopCause.Cancelled(), StopCause.WorkerEnded(var _, var _) ->
                      StopKind.CANCEL;
                })
            .orElse(StopKind.ORPHAN);
    return new Dispatch.Say(
        attempt.attempt().assignment().workers().get(worker).node(),
        new AgentCommand.Stop(
            leadership,
            job.worker(attempt.id(), worker),
            kind,
            attempt.skipCallback(),
            attempt.attempt().stop().map(AgentOrders::suspension).orElse(0L)));
  }

  /// The order to start the program of a prepared worker.
  ///
  /// @param addresses of all workers, by worker
  Dispatch go(JobRecord job, AttemptRecord attempt, int worker, List<WorkerAddress> addresses) {
    List<NodeId> nodes =
        attempt.attempt().assignment().workers().stream().map(WorkerPlace::node).toList();
    NodeId node = nodes.get(worker);
    return new Dispatch.Say(
        node,
        new AgentCommand.Go(
            leadership,
            job.worker(attempt.id(), worker),
            addresses.stream().map(WorkerAddress::host).toList(),
            addresses.getFirst().masterPort(),
            Collections.frequency(nodes.subList(0, worker), node),
            Collections.frequency(nodes, node),
            nodes.stream().distinct().toList().indexOf(node)));
  }

  /// The order to resume a suspended attempt.
  Dispatch resume(JobRecord job, AttemptRecord attempt) {
    return new Dispatch.Say(
        attempt.attempt().assignment().workers().getFirst().node(),
        new AgentCommand.Resume(leadership, job.worker(attempt.id(), 0)));
  }

  /// The number of an order to suspend, unique within the attempt; 0 for an order to stop.
  static long suspension(StopOrder order) {
    return order.outcome() == StopOutcome.SUSPEND ? order.at().toEpochMilli() : 0;
  }
}
