package io.headgate.scheduler.core;

import io.headgate.scheduler.core.catalog.Catalog;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.Ranking;
import io.headgate.scheduler.core.preemption.Candidates;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.rights.PolicyAccount;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/// Everything that the core knows. Hash maps in it are only looked up in, never iterated over:
/// their order is not the same everywhere.
final class World {
  final TreeMap<TenantId, Catalog> catalogs = new TreeMap<>();
  final TreeMap<PoolId, PoolState> pools = new TreeMap<>();
  final TreeMap<PolicyId, PolicyAccount> accounts = new TreeMap<>();
  final TreeMap<QueueId, QueueState> queues = new TreeMap<>();
  final Map<NodeId, NodeState> nodes = new HashMap<>();
  final Map<JobId, LiveJob> jobs = new HashMap<>();

  /// In the order in which they were placed.
  final LinkedHashMap<JobId, LiveHold> holds = new LinkedHashMap<>();

  /// Nodes that get no work for a while.
  final TreeSet<NodeState> aside = new TreeSet<>();

  final Candidates candidates = new Candidates();

  /// Queues whose jobs a ranking places.
  final Map<Ranking, List<QueueState>> rankingUsers = new HashMap<>();

  /// The provisioned queues of each policy.
  final Map<PolicyAccount, List<QueueState>> queuesOf = new HashMap<>();

  long nextSequence;

  /// Counts every change that a search for victims may depend on.
  long changes;

  /// Whether catalogs or inventories changed since the structural reasons were found.
  boolean structureChanged = true;

  PoolState pool(PoolId id) {
    return pools.computeIfAbsent(id, PoolState::new);
  }

  PolicyAccount account(PolicyId id) {
    return accounts.computeIfAbsent(id, PolicyAccount::new);
  }

  QueueState queue(QueueId id) {
    return queues.computeIfAbsent(id, QueueState::new);
  }

  /// Whether the queue was removed from its tenant's catalog; not when there is no catalog yet.
  boolean isRemoved(QueueState queue) {
    return queue.queue().isEmpty() && catalogs.containsKey(queue.id().tenant());
  }

  List<NodeState> sortedNodes() {
    List<NodeState> sorted = new ArrayList<>(nodes.values());
    sorted.sort(null);
    return sorted;
  }

  List<LiveJob> sortedJobs() {
    List<LiveJob> sorted = new ArrayList<>(jobs.values());
    sorted.sort((a, b) -> Long.compare(a.sequence(), b.sequence()));
    return sorted;
  }
}
