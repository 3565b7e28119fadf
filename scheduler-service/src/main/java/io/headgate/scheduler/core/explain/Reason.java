package io.headgate.scheduler.core.explain;

import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.catalog.QueueId;
import io.headgate.scheduler.core.catalog.SpentBudget;
import io.headgate.scheduler.core.catalog.TenantId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.AttemptId;
import io.headgate.scheduler.core.job.Dependency;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.node.NodeId;
import io.headgate.type.GpuQuantity;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Why a job waits: one reason with its numbers. The order of declaration is the precedence.
public sealed interface Reason {
  /// Stable name, as in `help reasons`.
  String code();

  /// The obstacle: the policy, pool, queue or hold. A reason with an equal code and subject and
  /// other numbers is the same reason.
  Object subject();

  /// Whether only the numbers differ.
  default boolean isSameCause(Reason other) {
    return code().equals(other.code()) && subject().equals(other.subject());
  }

  /// It can never start as things are configured.
  record NeverFits(Denial denial) implements Reason {
    @Override
    public String code() {
      return "NEVER_FITS";
    }

    @Override
    public Object subject() {
      return denial;
    }
  }

  /// Other jobs must end first.
  ///
  /// @param first the first of them
  /// @param more how many others there are
  record AfterJobs(Dependency first, int more) implements Reason {
    @Override
    public String code() {
      return "AFTER_JOB";
    }

    @Override
    public Object subject() {
      return first.on();
    }
  }

  /// Its submitter named an earliest start.
  record NotBefore(Instant time) implements Reason {
    @Override
    public String code() {
      return "NOT_BEFORE";
    }

    @Override
    public Object subject() {
      return time;
    }
  }

  /// The queue is closed (A1).
  record QueueClosed(QueueId queue) implements Reason {
    @Override
    public String code() {
      return "QUEUE_CLOSED";
    }

    @Override
    public Object subject() {
      return queue;
    }
  }

  /// A budget of the policy or of a level above it is spent. So its jobs do not start (A1), or it
  /// reserves nothing, and the job has to stay inside the reservation (A5, A8).
  record Budget(SpentBudget spent) implements Reason {
    @Override
    public String code() {
      return "BUDGET";
    }

    @Override
    public Object subject() {
      return spent.subject();
    }
  }

  /// The policy's limit is reached (A2).
  record Limit(PolicyId policy, GpuQuantity usage, GpuQuantity need, GpuQuantity limit)
      implements Reason {
    @Override
    public String code() {
      return "LIMIT";
    }

    @Override
    public Object subject() {
      return policy;
    }
  }

  /// The tenant's limit in a pool that tenants share is reached (A3). The pool is the first in
  /// routing order.
  record TenantLimit(
      TenantId tenant, PoolId pool, GpuQuantity usage, GpuQuantity need, GpuQuantity limit)
      implements Reason {
    @Override
    public String code() {
      return "LIMIT";
    }

    @Override
    public Object subject() {
      return pool;
    }
  }

  /// The limit of a department above the policy is reached (A3); of several the lowest.
  record DepartmentLimit(
      DepartmentId department, GpuQuantity usage, GpuQuantity need, GpuQuantity limit)
      implements Reason {
    @Override
    public String code() {
      return "LIMIT";
    }

    @Override
    public Object subject() {
      return department;
    }
  }

  /// The user's limit in the policy is reached (A4).
  record UserLimit(
      PolicyId policy, UserId user, GpuQuantity usage, GpuQuantity need, GpuQuantity limit)
      implements Reason {
    @Override
    public String code() {
      return "USER_LIMIT";
    }

    @Override
    public Object subject() {
      return user;
    }
  }

  /// The queue does not allow use above the reservation (A5).
  record OverReservationDenied(
      PolicyId policy, GpuQuantity usage, GpuQuantity need, GpuQuantity reservation)
      implements Reason {
    @Override
    public String code() {
      return "OVER_RESERVATION_DENIED";
    }

    @Override
    public Object subject() {
      return policy;
    }
  }

  /// The queue does not allow use above the reservation, and a department above the policy protects
  /// no more (A5); of several the lowest.
  ///
  /// @param usage the department's protected usage
  record DepartmentOverReservationDenied(
      DepartmentId department, GpuQuantity usage, GpuQuantity need, GpuQuantity reservation)
      implements Reason {
    @Override
    public String code() {
      return "OVER_RESERVATION_DENIED";
    }

    @Override
    public Object subject() {
      return department;
    }
  }

  /// The queue does not allow use above the reservation, and its tenant reserves no more in a pool
  /// that tenants share (A5). The pool is the first shared one in routing order.
  ///
  /// @param usage the tenant's protected usage there
  record TenantOverReservationDenied(
      TenantId tenant, PoolId pool, GpuQuantity usage, GpuQuantity need, GpuQuantity reservation)
      implements Reason {
    @Override
    public String code() {
      return "OVER_RESERVATION_DENIED";
    }

    @Override
    public Object subject() {
      return pool;
    }
  }

  /// Non-preemptible jobs stay inside the reservation of each department above the policy (A8); of
  /// several the lowest.
  record DepartmentNonPreemptible(
      DepartmentId department, GpuQuantity usage, GpuQuantity need, GpuQuantity reservation)
      implements Reason {
    @Override
    public String code() {
      return "NON_PREEMPTIBLE";
    }

    @Override
    public Object subject() {
      return department;
    }
  }

  /// Non-preemptible jobs stay inside the reservation (A8).
  record NonPreemptible(
      PolicyId policy, GpuQuantity usage, GpuQuantity need, GpuQuantity reservation)
      implements Reason {
    @Override
    public String code() {
      return "NON_PREEMPTIBLE";
    }

    @Override
    public Object subject() {
      return policy;
    }
  }

  /// Non-preemptible jobs stay inside their tenant's reservation in a pool that tenants share (A3,
  /// A8). The pool is the first shared one in routing order.
  record TenantNonPreemptible(
      TenantId tenant, PoolId pool, GpuQuantity usage, GpuQuantity need, GpuQuantity reservation)
      implements Reason {
    @Override
    public String code() {
      return "NON_PREEMPTIBLE";
    }

    @Override
    public Object subject() {
      return pool;
    }
  }

  /// The pool's ceiling is reached (A7).
  record PoolCapacity(PoolId pool, GpuQuantity used, GpuQuantity need, GpuQuantity capacity)
      implements Reason {
    @Override
    public String code() {
      return "POOL_CAPACITY";
    }

    @Override
    public Object subject() {
      return pool;
    }
  }

  /// It would fit in the pool if nothing were held there for another job (O7, P5).
  record Hold(PoolId pool, GpuQuantity need, JobId holder) implements Reason {
    @Override
    public String code() {
      return "HOLD";
    }

    @Override
    public Object subject() {
      return holder;
    }
  }

  /// It would be within the limit if nothing were held for another job (A2 to A4, O7, P5).
  ///
  /// @param limit the reason with the numbers of use alone; for headroom also one of A5 or A8
  /// @param held what the holds add to that use
  /// @param holder the first job with such a hold
  /// @param until when headroom is free again, as far as is known; absent: slices are held
  record HeldInLimit(Reason limit, GpuQuantity held, JobId holder, Optional<Instant> until)
      implements Reason {
    @Override
    public String code() {
      return "HOLD";
    }

    @Override
    public Object subject() {
      return holder;
    }
  }

  /// Less is idle in the pool than the job needs (A6). The pool is the first in routing order.
  ///
  /// @param idle on nodes that take work, not held for others
  /// @param blockedBy what keeps an entitled job from making room
  record Capacity(PoolId pool, GpuQuantity need, GpuQuantity idle, Optional<Obstacle> blockedBy)
      implements Reason {
    /// The reason of a job that is not entitled.
    public Capacity(PoolId pool, GpuQuantity need, GpuQuantity idle) {
      this(pool, need, idle, Optional.empty());
    }

    @Override
    public String code() {
      return "CAPACITY";
    }

    @Override
    public Object subject() {
      return pool;
    }
  }

  /// Enough is idle in the pool, but nowhere together (A6).
  ///
  /// @param dimension the dimension that the nodes lack
  /// @param blockedBy what keeps an entitled job from making room
  record Fragmentation(
      PoolId pool,
      GpuQuantity need,
      GpuQuantity idle,
      Dimension dimension,
      Optional<Obstacle> blockedBy)
      implements Reason {
    /// The reason of a job that is not entitled.
    public Fragmentation(PoolId pool, GpuQuantity need, GpuQuantity idle, Dimension dimension) {
      this(pool, need, idle, dimension, Optional.empty());
    }

    @Override
    public String code() {
      return "FRAGMENTATION";
    }

    @Override
    public Object subject() {
      return pool;
    }
  }

  /// It is kept suspended on its node, and resumes there in its turn once these very devices are
  /// idle.
  ///
  /// @param devices indices on the node
  /// @param until then it is stopped, and may start anywhere
  record Suspended(NodeId node, List<Integer> devices, Instant until) implements Reason {
    public Suspended {
      devices = List.copyOf(devices);
    }

    @Override
    public String code() {
      return "SUSPENDED";
    }

    @Override
    public Object subject() {
      return node;
    }
  }

  /// It was passed for so long that slices are held for it; these attempts should end first (O7).
  ///
  /// @param expectedStart absent when one of them has not said how long it runs
  record Holding(PoolId pool, List<AttemptId> waitsFor, Optional<Instant> expectedStart)
      implements Reason {
    public Holding {
      waitsFor = List.copyOf(waitsFor);
    }

    @Override
    public String code() {
      return "HOLDING";
    }

    @Override
    public Object subject() {
      return pool;
    }
  }

  /// Nodes rejected its attempts, so it pauses; the jobs behind it go first meanwhile.
  ///
  /// @param node that rejected the last one
  /// @param rejections in a row; each doubles the pause
  /// @param until then it waits in its old place again
  record BackingOff(NodeId node, int rejections, Instant until) implements Reason {
    @Override
    public String code() {
      return "BACKOFF";
    }

    @Override
    public Object subject() {
      return node;
    }
  }

  /// Nodes of the pool on which it might fit are set aside, because they rejected jobs (A6).
  ///
  /// @param node that is taken back first
  /// @param nodes how many are set aside
  /// @param until when that node gets work again
  record SetAside(PoolId pool, GpuQuantity need, NodeId node, int nodes, Instant until)
      implements Reason {
    @Override
    public String code() {
      return "NODES_SET_ASIDE";
    }

    @Override
    public Object subject() {
      return pool;
    }
  }

  /// An elastic pool was asked for an instance.
  record WaitingForProvider(PoolId pool, GpuQuantity need) implements Reason {
    @Override
    public String code() {
      return "WAITING_FOR_PROVIDER";
    }

    @Override
    public Object subject() {
      return pool;
    }
  }

  /// Slices are held for the job; these attempts have to leave them first (P5).
  record WaitingForVictims(PoolId pool, List<AttemptId> victims) implements Reason {
    public WaitingForVictims {
      victims = List.copyOf(victims);
    }

    @Override
    public String code() {
      return "WAITING_FOR_VICTIMS";
    }

    @Override
    public Object subject() {
      return pool;
    }
  }
}
