package io.headgate.sdk.model;

import io.headgate.type.GpuQuantity;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Present use of policies, queues, pools, nodes and devices. "Used" includes capacity being freed.
public sealed interface Usage {
  /// Id of the policy, queue, pool or node.
  String id();

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
      @Nullable Instant oldestWaitingTime)
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
  record OfPool(
      String id,
      GpuQuantity capacity,
      GpuQuantity used,
      GpuQuantity held,
      GpuQuantity idle,
      GpuQuantity down,
      int liveNodes,
      int nodes,
      long runningJobs)
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
