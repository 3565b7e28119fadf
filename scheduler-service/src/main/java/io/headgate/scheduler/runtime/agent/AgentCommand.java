package io.headgate.scheduler.runtime.agent;

import io.headgate.scheduler.core.catalog.Isolation;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.runtime.catalog.Grace;
import io.headgate.scheduler.runtime.record.Document;
import io.headgate.scheduler.runtime.record.JobMetadata;
import io.headgate.scheduler.runtime.record.Leadership;
import io.headgate.scheduler.runtime.record.WorkerName;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A message from the scheduler to an agent.
public sealed interface AgentCommand {

  /// The session is open.
  ///
  /// @param acknowledged updates up to this sequence are durable
  record Welcome(Leadership leadership, Duration heartbeat, long acknowledged)
      implements AgentCommand {}

  /// Run a worker. Known already: nothing is started, its state is reported again.
  ///
  /// @param traceparent W3C trace context of the attempt
  /// @param vaultEnvironment that vaults set, whatever the document says
  /// @param document what to run, as it was submitted
  /// @param stopAfter absent: never
  /// @param grace of its policy
  /// @param storage that holds its checkpoints; absent: the node's own directory
  record Assign(
      Leadership leadership,
      WorkerName worker,
      int workers,
      JobMetadata metadata,
      String traceparent,
      String queue,
      String user,
      WorkerPlace place,
      Optional<Duration> timeLimit,
      Optional<Duration> stopAfter,
      Grace grace,
      Isolation isolation,
      Optional<String> storage,
      Map<String, String> vaultEnvironment,
      Document document)
      implements AgentCommand {
    Assign with(Map<String, String> newEnvironment, Document newDocument) {
      return new Assign(
          leadership,
          worker,
          workers,
          metadata,
          traceparent,
          queue,
          user,
          place,
          timeLimit,
          stopAfter,
          grace,
          isolation,
          storage,
          newEnvironment,
          newDocument);
    }
  }

  /// Start the program of a prepared worker: all workers of its attempt are prepared.
  ///
  /// @param hosts address of each worker's node, by worker
  /// @param masterPort on the first worker's node; 0: none
  /// @param localRank place of the worker among those on its node
  /// @param localWorldSize workers on its node
  /// @param nodeRank place of its node, in the order of the nodes' first workers
  record Go(
      Leadership leadership,
      WorkerName worker,
      List<String> hosts,
      int masterPort,
      int localRank,
      int localWorldSize,
      int nodeRank)
      implements AgentCommand {
    public Go {
      hosts = List.copyOf(hosts);
    }
  }

  /// Stop a worker.
  ///
  /// @param suspension suspend it instead, if that can be, and say so with this number; 0: stop it
  record Stop(
      Leadership leadership,
      WorkerName worker,
      StopKind kind,
      boolean skipCallback,
      long suspension)
      implements AgentCommand {}

  /// Resume a suspended worker.
  record Resume(Leadership leadership, WorkerName worker) implements AgentCommand {}

  /// Why a worker is to stop.
  enum StopKind {
    PREEMPT,
    CANCEL,
    /// The scheduler does not know it, or no longer.
    ORPHAN
  }

  /// Updates up to this sequence are durable.
  record Acknowledge(long sequence) implements AgentCommand {}

  /// The record of an ended worker is no longer needed.
  record Forget(WorkerName worker) implements AgentCommand {}

  /// Send output; sent again with the same id it grants more.
  record ReadLogs(
      String readId, WorkerName worker, boolean follow, long tailBytes, long windowBytes)
      implements AgentCommand {}

  /// Send no more of it.
  record CancelReadLogs(String readId) implements AgentCommand {}
}
