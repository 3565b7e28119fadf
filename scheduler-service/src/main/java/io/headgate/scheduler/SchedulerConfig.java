package io.headgate.scheduler;

import io.headgate.kit.client.ChannelConfig;
import io.headgate.kit.config.Default;
import io.headgate.kit.config.Secret;
import io.headgate.kit.config.Setting;
import io.headgate.kit.db.DatabaseConfig;
import io.headgate.kit.watch.WatchLimits;
import io.headgate.scheduler.client.GroupConfig;
import io.headgate.scheduler.core.placement.PlacementPolicy;
import io.headgate.scheduler.core.placement.StandardPlacement;
import io.headgate.scheduler.grpc.CopyBound;
import io.headgate.scheduler.grpc.LogReads;
import io.headgate.scheduler.runtime.desk.LoopSettings;
import io.headgate.scheduler.runtime.desk.WaitingBounds;
import io.headgate.scheduler.runtime.trace.Sampling;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// One scheduler process.
public record SchedulerConfig(
    @Setting(meaning = "Access to PostgreSQL, with the schema `scheduler`.")
        DatabaseConfig database,
    @Setting(
            meaning =
                "Directory of the file `key-encryption-key`, apart from the database. Created if "
                    + "absent, readable by its owner only. All schedulers have the same file.")
        Path secretsDirectory,
    @Setting(
            meaning =
                "Name of this process among the schedulers of the installation. "
                    + "No two may share one.",
            bound = "1 to 63 characters")
        String replica,
    @Setting(
            meaning =
                "Address at which clients, agents and other schedulers reach " + "this process.",
            bound = "host:port")
        String advertisedAddress,
    @Setting(meaning = "Connection to pool-service.") ChannelConfig pools,
    @Setting(
            meaning =
                "Connection to policy-service, which also exchanges the service "
                    + "key for tokens.")
        ChannelConfig policies,
    @Setting(
            meaning =
                "Key of `services/scheduler`. `policy-service --create-key "
                    + "services/scheduler` makes it.")
        Secret serviceKey,
    @Setting(
            meaning =
                "Placement policy of all pools: `tightest-fit`, `fgd` (least "
                    + "fragmentation) or `rfp` (keep the most possible partitions of "
                    + "a node). The leader's value applies, so configure all "
                    + "schedulers alike.",
            bound = "tightest-fit, fgd, rfp")
        @Default("tightest-fit")
        String placement,
    @Setting(
            meaning =
                "`false` makes a scheduler that never leads and relays calls to " + "the leader.")
        @Default("true")
        boolean mayLead,
    @Setting(
            meaning =
                "The group through which several schedulers notice each other's " + "end at once.")
        GroupConfig group,
    @Setting(meaning = "Times of leadership and of the contact with agents.") Leading leading,
    @Setting(meaning = "How much may wait. Calls beyond a bound are refused.") Bounds bounds,
    @Setting(meaning = "How long finished jobs and events are kept.") HistoryConfig history,
    @Setting(meaning = "How long the ledger of usage is kept.") UsageConfig usage,
    @Setting(meaning = "Limits on watches of jobs.") WatchLimits watches) {
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
      Path secretsDirectory,
      String advertisedAddress,
      ChannelConfig pools,
      ChannelConfig policies,
      Secret serviceKey) {
    return new SchedulerConfig(
        database,
        secretsDirectory,
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
        HistoryConfig.DEFAULTS,
        UsageConfig.DEFAULTS,
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
  public SchedulerConfig with(HistoryConfig newHistory) {
    return changed(replica, mayLead, leading, bounds, newHistory);
  }

  private SchedulerConfig changed(
      String newReplica,
      boolean newMayLead,
      Leading newLeading,
      Bounds newBounds,
      HistoryConfig newHistory) {
    return new SchedulerConfig(
        database,
        secretsDirectory,
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
        usage,
        watches);
  }

  /// Times of leadership and of contact with agents.
  public record Leading(
      @Setting(
              meaning =
                  "Time for which the lease of a vanished leader blocks the next " + "leader.",
              bound = "at least 300ms")
          @Default("10s")
          Duration lease,
      @Setting(meaning = "Interval of the agents' heartbeats.", bound = "above 0") @Default("2s")
          Duration heartbeat,
      @Setting(
              meaning = "Silence after which a node gets no new work.",
              bound = "at least two heartbeats")
          @Default("10s")
          Duration suspectAfter,
      @Setting(
              meaning =
                  "Time for which a new leader waits for the nodes' reports. "
                      + "Until all have reported it preempts nothing, and keeps for "
                      + "jobs what silent nodes may run.",
              bound = "at least 0")
          @Default("10s")
          Duration reconcileWithin,
      @Setting(
              meaning =
                  "Time that is added to a policy's `stopAfter` before slices of "
                      + "a silent node are used again. It covers the drift of the "
                      + "machines' clocks.",
              bound = "at least the lease")
          @Default("2m")
          Duration stopMargin,
      @Setting(
              meaning =
                  "Time for which half of a change of supply and rights waits for the other half. "
                      + "Afterwards it is in force alone, with a warning in the log.",
              bound = "at least 0")
          @Default("30s")
          Duration changeWait) {
    public static final Leading DEFAULTS =
        new Leading(
            Duration.ofSeconds(10),
            Duration.ofSeconds(2),
            Duration.ofSeconds(10),
            Duration.ofSeconds(10),
            Duration.ofMinutes(2));

    public Leading(
        Duration lease,
        Duration heartbeat,
        Duration suspectAfter,
        Duration reconcileWithin,
        Duration stopMargin) {
      this(lease, heartbeat, suspectAfter, reconcileWithin, stopMargin, Duration.ofSeconds(30));
    }

    public Leading {
      if (lease.compareTo(Duration.ofMillis(300)) < 0) {
        throw new IllegalArgumentException("lease: at least 300ms, not " + lease);
      }
      if (!heartbeat.isPositive()) {
        throw new IllegalArgumentException("heartbeat: above zero, not " + heartbeat);
      }
      if (suspectAfter.compareTo(heartbeat.multipliedBy(2)) < 0) {
        throw new IllegalArgumentException(
            "suspect-after: at least two heartbeats (%s), not %s"
                .formatted(heartbeat.multipliedBy(2), suspectAfter));
      }
      if (reconcileWithin.isNegative()) {
        throw new IllegalArgumentException("reconcile-within: at least 0, not " + reconcileWithin);
      }
      if (stopMargin.compareTo(lease) < 0) {
        throw new IllegalArgumentException(
            "stop-margin: at least the lease (%s), not %s".formatted(lease, stopMargin));
      }
      if (changeWait.isNegative()) {
        throw new IllegalArgumentException("change-wait: at least 0, not " + changeWait);
      }
    }
  }

  /// How much may wait.
  public record Bounds(
      @Setting(
              meaning = "Commands of agents, watches and users that wait for the loop.",
              bound = "at least 1")
          @Default("100000")
          int commands,
      @Setting(meaning = "Submitted jobs that wait for the loop.", bound = "at least 1")
          @Default("100000")
          int queuedJobs,
      @Setting(meaning = "Submitted jobs of one transaction.", bound = "at least 1")
          @Default("10000")
          int batchJobs,
      @Setting(meaning = "How many jobs may wait.") Waiting waiting,
      @Setting(
              meaning =
                  "SubmitJob calls in progress at this process; a call beyond is "
                      + "refused before it is read.",
              bound = "at least 1")
          @Default("1000")
          int submitCalls,
      @Setting(
              meaning =
                  "BatchSubmitJobs calls in progress at this process, each of "
                      + "which may have megabytes.",
              bound = "at least 1")
          @Default("64")
          int batchCalls,
      @Setting(meaning = "Plans of configurations.") CopyBound.Limits plans,
      @Setting(meaning = "Readers of output.") LogReads.Limits logs,
      @Setting(
              meaning =
                  "Share of the old generation in use after a collection, in percent, above which "
                      + "new submissions, watches and plans are refused. All else goes on.",
              bound = "20 to 100")
          @Default("80")
          int memoryPercent) {
    public static final Bounds DEFAULTS =
        new Bounds(100_000, 100_000, 10_000, Waiting.DEFAULTS, 1_000, 64);

    /// The defaults for all that is not named.
    public Bounds(
        int commands,
        int queuedJobs,
        int batchJobs,
        Waiting waiting,
        int submitCalls,
        int batchCalls) {
      this(
          commands,
          queuedJobs,
          batchJobs,
          waiting,
          submitCalls,
          batchCalls,
          CopyBound.Limits.DEFAULTS,
          LogReads.Limits.DEFAULTS,
          80);
    }

    public Bounds {
      requirePositive("commands", commands);
      requirePositive("queued-jobs", queuedJobs);
      requirePositive("batch-jobs", batchJobs);
      requirePositive("submit-calls", submitCalls);
      requirePositive("batch-calls", batchCalls);
      if (memoryPercent < 20 || memoryPercent > 100) {
        throw new IllegalArgumentException("memory-percent: 20 to 100, not " + memoryPercent);
      }
    }

    static void requirePositive(String key, int value) {
      if (value < 1) {
        throw new IllegalArgumentException("%s: at least 1, not %d".formatted(key, value));
      }
    }
  }

  /// How many jobs may wait. A waiting job takes less than 1 KiB of the leader's heap.
  public record Waiting(
      @Setting(
              meaning =
                  "Waiting jobs of all tenants. Absent: one for each 4 KiB of the largest heap, "
                      + "262,144 for 1 GiB.",
              bound = "at least 1")
          Optional<Integer> total,
      @Setting(
              meaning = "Waiting jobs of one tenant. Absent: a half of `total`.",
              bound = "at least 1")
          Optional<Integer> perTenant,
      @Setting(
              meaning = "Waiting jobs of one queue. Absent: a half of `total`.",
              bound = "at least 1")
          Optional<Integer> perQueue,
      @Setting(
              meaning =
                  "Waiting jobs that one user or service account has submitted. Absent: a quarter "
                      + "of `total`.",
              bound = "at least 1")
          Optional<Integer> perUser) {
    private static final long HEAP_BYTES_FOR_EACH = 4096;

    public static final Waiting DEFAULTS =
        new Waiting(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    public Waiting {
      total.ifPresent(most -> Bounds.requirePositive("total", most));
      perTenant.ifPresent(most -> Bounds.requirePositive("per-tenant", most));
      perQueue.ifPresent(most -> Bounds.requirePositive("per-queue", most));
      perUser.ifPresent(most -> Bounds.requirePositive("per-user", most));
    }

    /// The bounds of a process with `bytes` of heap.
    WaitingBounds forHeap(long bytes) {
      int most = total.orElse(Math.clamp(bytes / HEAP_BYTES_FOR_EACH, 1, Integer.MAX_VALUE));
      return new WaitingBounds(
          most,
          perTenant.orElse(Math.max(1, most / 2)),
          perQueue.orElse(Math.max(1, most / 2)),
          perUser.orElse(Math.max(1, most / 4)));
    }
  }

  LoopSettings settings(double traceRatio) {
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
        bounds.waiting().forHeap(Runtime.getRuntime().maxMemory()),
        leading.changeWait(),
        new Sampling(traceRatio));
  }
}
