package io.headgate.sdk.config;

import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One group's rights, with its queues.
///
/// @param weight share of over-reservation use among equal ranks
/// @param perUserLimit null: none
/// @param exceedLimit users whose jobs may use idle capacity above the limit
/// @param stopAfter how long jobs run on without contact to the scheduler; null: for ever
/// @param tenant tenant of the policy, where tenants share the pools; null: the configuration's own
public record Policy(
    String name,
    String group,
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
    @Nullable String description,
    List<Queue> queues,
    @Nullable String tenant) {
  public static final Duration DEFAULT_STOP_AFTER = Duration.ofMinutes(40);

  public Policy {
    exceedLimit = List.copyOf(exceedLimit);
    queues = List.copyOf(queues);
  }

  /// A policy of the configuration's own tenant.
  public Policy(
      String name,
      String group,
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
      @Nullable String description,
      List<Queue> queues) {
    this(
        name,
        group,
        reservation,
        limit,
        weight,
        perUserLimit,
        exceedLimit,
        onPreempt,
        minRuntime,
        preemptible,
        preemptWithin,
        stopAfter,
        description,
        queues,
        null);
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
