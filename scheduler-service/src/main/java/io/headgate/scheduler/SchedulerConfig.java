package io.headgate.scheduler;

import io.headgate.kit.client.ChannelConfig;
import io.headgate.kit.config.Default;
import io.headgate.kit.config.Secret;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.watch.WatchLimits;
import io.headgate.scheduler.client.GroupConfig;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.scheduler.core.placement.StandardPlacement;
import io.headgate.scheduler.runtime.desk.LoopSettings;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// One scheduler process.
///
/// @param database with the schema `scheduler`
/// @param replica names this process among the schedulers of the installation; not two at a time
/// @param advertisedAddress its address for clients and agents, `host:port`
/// @param pools the pool-service
/// @param policies the policy-service, which also exchanges the key
/// @param serviceKey of `services/scheduler`, exchanged for tokens
/// @param placement the placement policy of all pools: `tightest-fit`; `fgd`, the place that
///   strands the least GPU capacity for the expected jobs; or `rfp`, the place after which the node
///   can still serve the most of them. The leader's value applies, so configure all replicas alike
/// @param mayLead false: a replica that never leads, and relays calls to the leader
/// @param group of all schedulers of the installation, when there are several
public record SchedulerConfig(
    DatabaseConfig database,
    String replica,
    String advertisedAddress,
    ChannelConfig pools,
    ChannelConfig policies,
    Secret serviceKey,
    @Default("tightest-fit") String placement,
    @Default("true") boolean mayLead,
    GroupConfig group,
    Leading leading,
    Bounds bounds,
    History history,
    WatchLimits watches) {
  private static final SortedMap<String, PlacementPolicy> PLACEMENTS =
      new TreeMap<>(
          Map.of(
              "tightest-fit", StandardPlacement.TIGHTEST_FIT,
              "fgd", StandardPlacement.LEAST_STRANDED,
              "rfp", StandardPlacement.ROLL_OUT_FILL));

  public SchedulerConfig {
    if (replica.isBlank() || replica.length() > 63) {
      throw new IllegalArgumentException("replica: a name of 1 to 63 characters");
    }
    if (!advertisedAddress.matches("[^:/\\s]+:[0-9]{1,5}")) {
      throw new IllegalArgumentException(
          "advertised-address: write host:port, not '" + advertisedAddress + "'");
    }
    if (!PLACEMENTS.containsKey(placement)) {
      throw new IllegalArgumentException(
          "placement: one of %s, not '%s'"
              .formatted(String.join(", ", PLACEMENTS.keySet()), placement));
    }
  }

  /// The defaults of everything that has one.
  public static SchedulerConfig of(
      DatabaseConfig database,
      String advertisedAddress,
      ChannelConfig pools,
      ChannelConfig policies,
      Secret serviceKey) {
    return new SchedulerConfig(
        database,
        "scheduler-1",
        advertisedAddress,
        pools,
        policies,
        serviceKey,
        "tightest-fit",
        true,
        GroupConfig.DEFAULTS,
        Leading.DEFAULTS,
        Bounds.DEFAULTS,
        History.DEFAULTS,
        WatchLimits.DEFAULTS);
  }

  /// The same as another replica.
  public SchedulerConfig named(String name) {
    return changed(name, mayLead, leading, bounds, history);
  }

  /// A copy that never leads.
  public SchedulerConfig asDoor() {
    return changed(replica, false, leading, bounds, history);
  }

  /// The same with other times.
  public SchedulerConfig with(Leading times) {
    return changed(replica, mayLead, times, bounds, history);
  }

  /// The same with other bounds.
  public SchedulerConfig with(Bounds newBounds) {
    return changed(replica, mayLead, leading, newBounds, history);
  }

  /// The same with another history.
  public SchedulerConfig with(History newHistory) {
    return changed(replica, mayLead, leading, bounds, newHistory);
  }

  private SchedulerConfig changed(
      String newReplica,
      boolean newMayLead,
      Leading newLeading,
      Bounds newBounds,
      History newHistory) {
    return new SchedulerConfig(
        database,
        newReplica,
        advertisedAddress,
        pools,
        policies,
        serviceKey,
        placement,
        newMayLead,
        group,
        newLeading,
        newBounds,
        newHistory,
        watches);
  }

  /// Times of leadership and of contact with agents.
  ///
  /// @param lease how long a leader that died is waited for
  /// @param heartbeat how often agents show that they are there
  /// @param suspectAfter silence after which a node gets no new work
  /// @param reconcileWithin how long a new leader waits for nodes to report: until all have it
  ///   preempts nothing, and keeps for jobs what these nodes may have
  /// @param stopMargin added to a policy's stop-after before slices are used again; at least the
  ///   lease, and what clocks of machines drift in a stop-after
  public record Leading(
      @Default("10s") Duration lease,
      @Default("2s") Duration heartbeat,
      @Default("10s") Duration suspectAfter,
      @Default("10s") Duration reconcileWithin,
      @Default("2m") Duration stopMargin) {
    public static final Leading DEFAULTS =
        new Leading(
            Duration.ofSeconds(10),
            Duration.ofSeconds(2),
            Duration.ofSeconds(10),
            Duration.ofSeconds(10),
            Duration.ofMinutes(2));

    public Leading {
      if (lease.compareTo(Duration.ofMillis(300)) < 0) {
        throw new IllegalArgumentException("lease: at least 300ms, not " + lease);
      }
      if (!heartbeat.isPositive() || suspectAfter.compareTo(heartbeat.multipliedBy(2)) < 0) {
        throw new IllegalArgumentException(
            "suspect-after: at least two heartbeats (%s), not %s"
                .formatted(heartbeat.multipliedBy(2), suspectAfter));
      }
      if (reconcileWithin.isNegative() || stopMargin.compareTo(lease) < 0) {
        throw new IllegalArgumentException(
            "stop-margin: at least the lease (%s), not %s".formatted(lease, stopMargin));
      }
    }
  }

  /// How much may wait.
  ///
  /// @param commands of agents, watches and single users for the loop
  /// @param queuedJobs submitted jobs for the loop
  /// @param batchJobs submitted jobs of one transaction
  /// @param waitingPerQueue jobs of one queue
  /// @param submitCalls SubmitJob calls in progress at this process, which is how long an answer
  ///   may take; one beyond is refused before it is read
  /// @param batchCalls the same of BatchSubmitJobs, of which each may have megabytes
  public record Bounds(
      @Default("100000") int commands,
      @Default("100000") int queuedJobs,
      @Default("10000") int batchJobs,
      @Default("1000000") int waitingPerQueue,
      @Default("1000") int submitCalls,
      @Default("64") int batchCalls) {
    public static final Bounds DEFAULTS =
        new Bounds(100_000, 100_000, 10_000, 1_000_000, 1_000, 64);

    public Bounds {
      if (commands < 1
          || queuedJobs < 1
          || batchJobs < 1
          || waitingPerQueue < 1
          || submitCalls < 1
          || batchCalls < 1) {
        throw new IllegalArgumentException("every bound is at least 1");
      }
    }
  }

  /// The retention of finished jobs.
  ///
  /// @param keep how long a job can be read after its end, and an event after it happened; at least
  ///   a day, because submissions may be repeated that long. Afterwards both are deleted
  public record History(@Default("90d") Duration keep) {
    private static final Duration LEAST = Duration.ofDays(1);

    public static final History DEFAULTS = new History(Duration.ofDays(90));

    public History {
      if (keep.compareTo(LEAST) < 0) {
        throw new IllegalArgumentException(
            "keep: at least 1d, because a submission may be repeated for a day, not " + keep);
      }
    }
  }

  LoopSettings settings() {
    return new LoopSettings(
        Optional.ofNullable(PLACEMENTS.get(placement)).orElseThrow(),
        leading.lease(),
        leading.heartbeat(),
        leading.suspectAfter(),
        leading.reconcileWithin(),
        leading.stopMargin(),
        bounds.commands(),
        bounds.queuedJobs(),
        bounds.batchJobs(),
        bounds.waitingPerQueue());
  }
}
