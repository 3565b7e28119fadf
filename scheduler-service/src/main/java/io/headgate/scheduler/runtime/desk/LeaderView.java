package io.headgate.scheduler.runtime.desk;

import io.headgate.scheduler.core.SchedulerCore;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.job.Hold;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.ledger.DownStep;
import io.headgate.scheduler.core.ledger.Holding;
import io.headgate.scheduler.core.ledger.LastingPart;
import io.headgate.scheduler.core.ledger.UsageInterval;
import io.headgate.scheduler.core.ledger.UsageTotals;
import io.headgate.scheduler.core.node.Node;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.scheduler.runtime.catalog.CatalogView;
import io.headgate.scheduler.runtime.record.AttemptRecord;
import io.headgate.scheduler.runtime.record.JobRecord;
import io.headgate.scheduler.runtime.record.JobView;
import io.headgate.type.ImageRules;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// The leader's state, to be read on its loop only.
///
/// @param core for queries; a question must not decide
public record LeaderView(SchedulerCore core, CatalogView catalog, Reads reads, Instant now) {

  /// Reads of the leader's state outside the core.
  public interface Reads {
    Optional<JobRecord> job(JobId id);

    /// The jobs that wait or have an attempt, of all tenants.
    List<JobRecord> jobs();

    /// How many these are.
    int jobCount();

    /// A job that was read from the database, as it is now.
    JobView refresh(JobView read);

    /// The slices currently held for waiting jobs.
    Collection<Hold> holds();

    /// Contact with each node, by node.
    List<Contact> contacts();

    /// The pools' nodes' reports on jobs with an image.
    ImageUse images(Collection<PoolId> pools);

    /// How many nodes of the pool take no work, because they lack its storage.
    int withoutStorage(PoolId pool);

    /// The sums over the jobs of each queue.
    List<Total> totals();

    Optional<AttemptRecord> attempt(JobId job);

    /// GPU time since this leader began.
    UsageTotals usageTotals(Instant now);

    /// The intervals of usage that last, as if they ended now.
    List<UsageInterval> openUsage(Instant now);

    /// A part of them.
    ///
    /// @param from the first that is looked at
    /// @param limit the most attempts that are looked at
    LastingPart openUsage(
        Instant now, LastingPart.Begin from, int limit, Predicate<Holding> wanted);

    /// The nodes with unused slices that are down, each since its step.
    List<DownStep> down();

    /// The idle units of the pool that no job of its queues could take about a second ago.
    long unusable(PoolId pool);

    /// The jobs with a live attempt there.
    List<JobId> jobsOn(NodeId node);
  }

  /// The nodes' reports on jobs with an image.
  ///
  /// @param without a node that currently runs no images; empty: all do
  /// @param rulings the images that each node permits, also for nodes that run none now, because a
  ///   node's container engine may come back
  public record ImageUse(Optional<Node> without, List<Ruling> rulings) {
    /// One of the nodes with the same rules.
    public record Ruling(Node node, ImageRules rules) {}

    public ImageUse {
      rulings = List.copyOf(rulings);
    }
  }

  /// The sums over the jobs of one queue with one policy and profile.
  ///
  /// @param policy id of the policy that they count to
  /// @param profile id of their profile
  /// @param waiting jobs
  /// @param running jobs that have slices
  /// @param waitingUnits need of the waiting jobs, in 1/126000 GPU
  /// @param usedUnits usage of the jobs that have slices, in 1/126000 GPU
  /// @param oldestWaiting submission time of the oldest waiting job, at most a second too early;
  ///   absent: no job waits
  public record Total(
      QueueId queue,
      String policy,
      String profile,
      int waiting,
      int running,
      long waitingUnits,
      long usedUnits,
      Optional<Instant> oldestWaiting) {}

  /// Contact with a node.
  ///
  /// @param passedToCore the node as last passed to the core; absent: pool-service does not know it
  /// @param heardAgoNanos since the last message; negative: never
  /// @param runsImages whether it runs jobs with an image; absent: it has not said
  /// @param agentVersion of the agent that said Hello last; empty: none did
  /// @param patience time without contact after which its first job stops by itself; absent: none
  ///   does
  public record Contact(
      NodeId node,
      State state,
      long heardAgoNanos,
      Optional<Node> passedToCore,
      Optional<Boolean> runsImages,
      String agentVersion,
      Optional<Duration> patience) {
    /// How the scheduler stands with a node.
    public enum State {
      CONNECTED,
      SUSPECT,
      LOST,
      NEVER
    }
  }
}
