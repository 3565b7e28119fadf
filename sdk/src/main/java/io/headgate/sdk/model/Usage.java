package io.headgate.sdk.model;

import io.headgate.type.GpuQuantity;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Present use of policies, queues, pools, nodes and devices. "Used" includes capacity being freed.
public sealed interface Usage {
  /// Id of the policy, queue, pool or node.
  String id();

  /// Use of one policy.
  ///
  /// @param oldestWaitingTime submission time of the oldest waiting job; null: none waits
  /// @param nextExpectedStart the earliest expected start of its jobs with a hold; null: unknown
  record OfPolicy(
      String id,
      GpuQuantity used,
      GpuQuantity entitled,
      GpuQuantity overReservation,
      GpuQuantity reservation,
      GpuQuantity limit,
      GpuQuantity demand,
      long runningJobs,
      long waitingJobs,
      @Nullable Instant oldestWaitingTime,
      @Nullable Instant nextExpectedStart)
      implements Usage {}

  /// Use of one queue.
  ///
  /// @param headReason why its first waiting job waits; null: none waits
  record OfQueue(
      String id,
      String policy,
      String profile,
      GpuQuantity used,
      long runningJobs,
      long waitingJobs,
      @Nullable Reason headReason,
      @Nullable Instant oldestWaitingTime)
      implements Usage {}

  /// Use of one pool: capacity = used + held + idle; down is not part of it.
  ///
  /// @param unusable the part of `idle` that no job of the pool's queues can take
  /// @param waitingJobs those that may run in it, of the policies that the caller sees
  record OfPool(
      String id,
      GpuQuantity capacity,
      GpuQuantity used,
      GpuQuantity held,
      GpuQuantity idle,
      GpuQuantity unusable,
      GpuQuantity down,
      int liveNodes,
      int nodes,
      long runningJobs,
      long waitingJobs)
      implements Usage {}

  /// The use and contact of one node.
  ///
  /// @param runsImages whether it runs jobs with an image; null: not reported
  /// @param setAsideUntil until when it gets no work because it rejected jobs; null: it is not
  /// @param setAsideReason what it rejected; empty: it is not set aside
  record OfNode(
      String id,
      String pool,
      Contact contact,
      @Nullable Instant lastContactTime,
      List<OfDevice> devices,
      long usedCpuMillis,
      long usedMemoryBytes,
      List<String> jobs,
      @Nullable Boolean runsImages,
      @Nullable Instant setAsideUntil,
      String setAsideReason)
      implements Usage {
    public OfNode {
      devices = List.copyOf(devices);
      jobs = List.copyOf(jobs);
    }
  }

  record OfDevice(int index, GpuQuantity used, GpuQuantity held, List<String> jobs) {
    public OfDevice {
      jobs = List.copyOf(jobs);
    }
  }

  /// The contact between the scheduler and a node.
  enum Contact {
    UNKNOWN,
    CONNECTED,
    /// Out of contact: it gets no new work, and running jobs continue.
    SUSPECT,
    /// Given up: its jobs are lost or requeued.
    LOST,
    /// Known, never connected.
    NEVER
  }
}
