package io.headgate.scheduler.core;

import static io.headgate.scheduler.core.Reasons.gpus;

import io.headgate.scheduler.core.catalog.PoolId;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.JobId;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.placement.DeviceState;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.NodeState.Share;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.Rejections;
import io.headgate.scheduler.core.placement.Stake;
import io.headgate.scheduler.core.queue.Lane;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.PoolTenants;
import io.headgate.scheduler.core.rights.TenantAccount;
import io.headgate.scheduler.core.usage.NodeUsage;
import io.headgate.scheduler.core.usage.NodeUsage.DeviceUsage;
import io.headgate.scheduler.core.usage.NodeUsage.Use;
import io.headgate.scheduler.core.usage.PolicyUsage;
import io.headgate.scheduler.core.usage.PoolUsage;
import io.headgate.scheduler.core.usage.QueueUsage;
import io.headgate.scheduler.core.usage.TenantUsage;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Reports the present usage of policies, tenants, pools, queues and nodes.
final class UsageReport {
  private UsageReport() {}

  static List<PolicyUsage> policies(World world) {
    List<PolicyUsage> usages = new ArrayList<>();
    for (PolicyAccount account : world.accounts.values()) {
      usages.add(policy(world, account));
    }
    return usages;
  }

  private static PolicyUsage policy(World world, PolicyAccount account) {
    int waiting = 0;
    for (QueueState queue : world.queuesOf.getOrDefault(account, List.of())) {
      waiting += queue.waiting();
    }
    long entitled = Math.min(account.used(), account.reservation());
    return new PolicyUsage(
        account.id(),
        gpus(account.reservation()),
        gpus(account.limit()),
        gpus(account.used()),
        gpus(account.stopping()),
        gpus(account.held()),
        gpus(entitled),
        gpus(account.used() - entitled),
        account.attempts(),
        waiting);
  }

  /// By pool, then tenant; those only that share.
  static List<TenantUsage> tenants(World world) {
    List<TenantUsage> usages = new ArrayList<>();
    for (PoolState pool : world.pools.values()) {
      PoolTenants tenants = world.tenants(pool);
      if (tenants.isShared()) {
        tenants.accounts().forEach(account -> usages.add(tenant(account)));
      }
    }
    return usages;
  }

  private static TenantUsage tenant(TenantAccount account) {
    return new TenantUsage(
        account.tenant(),
        account.pool(),
        gpus(account.reservation()),
        account.isLimited() ? Optional.of(gpus(account.limit())) : Optional.empty(),
        gpus(account.used()),
        gpus(Math.max(0, account.used() - account.reservation())));
  }

  static List<PoolUsage> pools(World world) {
    List<PoolUsage> usages = new ArrayList<>();
    for (PoolState pool : world.pools.values()) {
      usages.add(pool(world, pool));
    }
    return usages;
  }

  private static PoolUsage pool(World world, PoolState pool) {
    int nodes = 0;
    long usedOnOthers = 0;
    for (NodeState node : pool.nodes()) {
      nodes += node.isRemoved() ? 0 : 1;
      for (int slot = 0; slot < node.deviceCount(); slot++) {
        DeviceState device = node.device(slot);
        usedOnOthers += node.takesWork() && device.isOffered() ? 0 : device.usedUnits();
      }
    }
    long usedOnReady = pool.usedUnits() - usedOnOthers;
    long capacity = Math.min(pool.ceiling(), pool.offeredUnits() + usedOnOthers);
    long held = Math.max(0, pool.offeredUnits() - usedOnReady - pool.idleUnits());
    // A ceiling leaves devices unused on which no job can start. A removed pool has a ceiling of 0.
    long startable = Math.max(0, capacity - pool.usedUnits() - held);
    return new PoolUsage(
        pool.id(),
        gpus(capacity),
        gpus(pool.offeredUnits()),
        gpus(pool.usedUnits()),
        gpus(held),
        gpus(Math.min(held, idleForBlocked(world, pool))),
        gpus(Math.min(pool.idleUnits(), startable)),
        nodes,
        pool.tally().readyNodes(),
        pool.attempts());
  }

  /// The idle GPUs of each pool that no job of its queues can take at present.
  static SortedMap<PoolId, GpuQuantity> unusable(World world) {
    SortedMap<PoolId, GpuQuantity> unusable = new TreeMap<>();
    for (PoolState pool : world.pools.values()) {
      long idle = pool(world, pool).idle().units();
      unusable.put(pool.id(), gpus(pool.unusableUnits(idle)));
    }
    return unusable;
  }

  /// The units of devices in the pool that nothing uses and that holds of rule O7 keep.
  private static long idleForBlocked(World world, PoolState pool) {
    long idle = 0;
    for (LiveHold hold : world.holds.values()) {
      if (hold.isForBlocked() && hold.pool() == pool) {
        for (int worker = 0; worker < hold.nodes().size(); worker++) {
          NodeState node = hold.nodes().get(worker);
          for (Slice slice : hold.hold().place().workers().get(worker).slices()) {
            int slot = node.slot(slice.device());
            long unused = GpuQuantity.UNITS_PER_GPU - node.device(slot).usedUnits();
            idle += Math.clamp(unused, 0, slice.quantity().units());
          }
        }
      }
    }
    return idle;
  }

  static List<QueueUsage> queues(World world) {
    List<QueueUsage> usages = new ArrayList<>();
    for (QueueState queue : world.queues.values()) {
      usages.add(queue(world, queue));
    }
    return usages;
  }

  static QueueUsage queue(World world, QueueState queue) {
    LiveJob head = head(queue);
    Optional<Reason> reason = head == null ? Optional.empty() : Reasons.of(world, head);
    return new QueueUsage(queue.id(), queue.waiting(), queue.attempts(), reason);
  }

  /// The first job that waits in the queue; null: none does.
  static @Nullable LiveJob head(QueueState queue) {
    LiveJob head = null;
    for (LiveJob holder : queue.holders()) {
      head = earlier(head, holder);
    }
    for (LiveJob pausing : queue.backedOff()) {
      head = earlier(head, pausing);
    }
    for (Lane lane : queue.lanes()) {
      head = earlier(head, lane.line().first());
    }
    if (head == null) {
      for (LiveJob gated : queue.gated()) {
        head = earlier(head, gated);
      }
    }
    return head;
  }

  static LiveJob earlier(@Nullable LiveJob a, LiveJob b) {
    return a == null || LiveJob.ORDER.compare(b, a) < 0 ? b : a;
  }

  static List<NodeUsage> nodes(World world) {
    List<NodeUsage> usages = new ArrayList<>();
    for (NodeState node : world.sortedNodes()) {
      usages.add(node(node));
    }
    return usages;
  }

  private static NodeUsage node(NodeState node) {
    List<DeviceUsage> devices = new ArrayList<>();
    for (int slot = 0; slot < node.deviceCount(); slot++) {
      DeviceState device = node.device(slot);
      if (device.device() != null) {
        GpuQuantity idle = node.takesWork() ? gpus(device.idleUnits()) : GpuQuantity.ZERO;
        devices.add(new DeviceUsage(device.device(), idle, uses(node, device.index())));
      }
    }
    Rejections rejections = node.rejections();
    return new NodeUsage(
        node.node(),
        node.usedCpu(),
        node.usedMemory(),
        devices,
        rejections.asideUntil().map(until -> new NodeUsage.Pause(until, rejections.evidence())));
  }

  private static List<Use> uses(NodeState node, int device) {
    List<Use> uses = new ArrayList<>();
    for (Share share : node.shares()) {
      for (Slice slice : share.place().slices()) {
        if (slice.device() == device) {
          uses.add(use(share.job(), slice, share.stake()));
        }
      }
    }
    return uses;
  }

  private static Use use(JobId job, Slice slice, Stake stake) {
    return new Use(
        job,
        slice.quantity(),
        switch (stake) {
          case LIVE, KEPT -> Use.Kind.RUNNING;
          case STOPPING -> Use.Kind.STOPPING;
          case HELD -> Use.Kind.HELD;
        });
  }
}
