package io.headgate.sdk.config;

import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One group's rights, with its queues.
///
/// @param department to which it belongs; null: the tenant is above it
/// @param weight share of over-reservation use among equal ranks
/// @param perUserLimit null: none
/// @param exceedLimit users whose jobs may use idle capacity above the limit
/// @param stopAfter how long jobs run on without contact to the scheduler; null: for ever
/// @param preemptAfter how long its jobs wait before they preempt
/// @param budget of its jobs; null: none
/// @param tenant tenant of the policy, where tenants share the pools; null: the configuration's own
public record Policy(
    String name,
    String group,
    @Nullable String department,
    GpuQuantity reservation,
    GpuQuantity limit,
    int weight,
    @Nullable GpuQuantity perUserLimit,
    List<String> exceedLimit,
    OnPreempt onPreempt,
    Duration minRuntime,
    boolean preemptible,
    PreemptWithin preemptWithin,
    @Nullable Duration stopAfter,
    Duration preemptAfter,
    Grace grace,
    @Nullable Budget budget,
    @Nullable String description,
    List<Queue> queues,
    @Nullable String tenant) {
  public static final Duration DEFAULT_STOP_AFTER = Duration.ofMinutes(40);

  public Policy {
    exceedLimit = List.copyOf(exceedLimit);
    queues = List.copyOf(queues);
  }

  /// The time that a stop leaves to jobs: their default, which a job may shorten.
  ///
  /// @param callback longest time of the abort callback; null: as for all jobs
  /// @param terminate time between SIGTERM and SIGKILL; null: as for all jobs
  public record Grace(@Nullable Duration callback, @Nullable Duration terminate) {
    public static final Grace NONE = new Grace(null, null);
  }

  /// The fate of a preempted job.
  public enum OnPreempt implements Keyword {
    REQUEUE,
    CANCEL
  }

  /// Whether a job may preempt jobs of its own policy.
  public enum PreemptWithin implements Keyword {
    NEVER,
    LOWER_PRIORITY
  }

  /// Connects a policy with one profile. Users submit jobs to it.
  ///
  /// @param rank 1 is first among the queues of the profile; equal ranks share by weight
  /// @param overReservation whether its jobs may start above the reservation
  public record Queue(String name, String profile, int rank, OverReservation overReservation) {}

  /// Whether jobs may start above the reservation.
  public enum OverReservation implements Keyword {
    ALLOW,
    DENY
  }
}
