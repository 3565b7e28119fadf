package io.headgate.scheduler.core.ledger;

import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.node.NodeId;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/// The scheduler's answers to the ledger, as of its last decision.
public interface Books {
  /// The rights of a policy.
  ///
  /// @param limit [Long#MAX_VALUE]: the policy is gone, and has no limit to exceed
  /// @param departments those above it, the lowest first
  record Rights(long reservation, long limit, List<String> departments, Optional<String> group) {
    public Rights {
      departments = List.copyOf(departments);
    }
  }

  /// The GPU units of a pool.
  ///
  /// @param used by attempts
  /// @param downVersion changes with everything that [#down] and [#awaited] depend on
  record Figures(long used, long held, long idle, long down, long downVersion) {}

  /// The waiting jobs of a policy.
  ///
  /// @param units that they need
  /// @param reason code of the reason why the first of them waits; empty: none waits
  record Waiting(long units, Optional<String> reason) {}

  /// Sees each pool.
  @FunctionalInterface
  interface PoolVisitor {
    /// Sees a pool.
    ///
    /// @param version changes with everything that [#figures] depends on, except `used`
    /// @param used by attempts, in GPU units
    void visit(PoolId pool, long version, long used);
  }

  Rights rights(PolicyId policy);

  /// The price of the pool; empty: it has none.
  Optional<Price> price(PoolId pool);

  /// Calls the visitor for each pool, by id.
  void pools(PoolVisitor visitor);

  Figures figures(PoolId pool);

  /// The idle units of the pool that no job of its queues can take at present.
  long unusable(PoolId pool);

  /// The free slices of the pool that are held for jobs, in the order in which they were placed.
  List<Holding> held(PoolId pool);

  /// The nodes of the pool with unused slices that are down.
  SortedSet<NodeId> down(PoolId pool);

  /// The nodes of the pool of which other slices may be down or awaited than at an earlier
  /// [version][Figures#downVersion]; empty: it may be any node.
  Optional<SortedSet<NodeId>> downChanges(PoolId pool, long version);

  /// The unused slices of a node of the pool that are down, by device; none if it has left the
  /// pool. The slices of all nodes add up to [Figures#down].
  List<Slice> down(PoolId pool, NodeId node);

  /// The idle slices of a node of the pool while a new leader waits for its report; none if it does
  /// not.
  List<Slice> awaited(PoolId pool, NodeId node);

  Waiting waiting(PolicyId policy);

  /// The provisioned policies, by id.
  List<PolicyId> policies();

  /// The policy of the queue's jobs; empty: the queue is not known.
  Optional<PolicyId> policyOf(QueueId queue);
}
