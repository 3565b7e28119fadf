package io.headgate.scheduler.core;

import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.SpentBudget;
import io.headgate.scheduler.core.explain.Obstacle;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.BackOff;
import io.headgate.scheduler.core.job.Gate;
import io.headgate.scheduler.core.job.JobState;
import io.headgate.scheduler.core.job.Slice;
import io.headgate.scheduler.core.job.WorkerPlace;
import io.headgate.scheduler.core.placement.NodeState;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.Shape;
import io.headgate.scheduler.core.placement.Shortage;
import io.headgate.scheduler.core.preemption.Obstacles;
import io.headgate.scheduler.core.queue.Block;
import io.headgate.scheduler.core.queue.Lane;
import io.headgate.scheduler.core.queue.LiveAttempt;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.Promotion;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.queue.ReportedReason;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.queue.RouteGroup;
import io.headgate.scheduler.core.queue.StartRules;
import io.headgate.scheduler.core.rights.DepartmentAccount;
import io.headgate.scheduler.core.rights.Levels;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.TenantAccount;
import io.headgate.type.GpuQuantity;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Why jobs wait, with the numbers of this moment.
final class Reasons {
  private Reasons() {}

  /// Why the job waits; empty when it has an attempt, or would start if the core were asked to
  /// decide.
  static Optional<Reason> of(World world, LiveJob job) {
    LiveAttempt attempt = job.attempt();
    if (attempt != null) {
      return job.state() == JobState.SUSPENDED ? Optional.of(waiting(attempt)) : Optional.empty();
    }
    if (job.isGated()) {
      return Optional.of(waiting(job.gate()));
    }
    LiveHold hold = job.hold();
    if (hold != null) {
      return Optional.of(waiting(hold));
    }
    return job.backsOff()
        ? Optional.of(waiting(Objects.requireNonNull(job.backOff())))
        : of(world, job, blockOf(job));
  }

  private static Block blockOf(LiveJob job) {
    return job.queue().lane(job).block(Promotion.headOf(job), StartRules.ANSWERS_ONLY);
  }

  static Reason waiting(Gate gate) {
    return gate.after().isEmpty()
        ? new Reason.NotBefore(gate.notBefore().orElseThrow())
        : new Reason.AfterJobs(gate.after().getFirst(), gate.after().size() - 1);
  }

  static Reason waiting(BackOff pause) {
    return new Reason.BackingOff(pause.node(), pause.rejections(), pause.until());
  }

  /// Why a job in its lane waits.
  ///
  /// @param block of the job that it waits with
  static Optional<Reason> of(World world, LiveJob job, Block block) {
    QueueState queue = job.queue();
    LiveJob head = Promotion.headOf(job);
    if (block == Block.HEADROOM) {
      return Optional.of(HeldInLimit.ofHeadroom(queue, head));
    }
    Lane lane = queue.lane(job);
    return Optional.ofNullable(of(world, queue, lane, lane.routes(head), block, world.obstacles()));
  }

  private static Reason waiting(LiveAttempt suspended) {
    WorkerPlace place = suspended.assignment().workers().getFirst();
    return new Reason.Suspended(
        place.node(), place.slices().stream().map(Slice::device).toList(), suspended.keptUntil());
  }

  static Reason waiting(LiveHold hold) {
    return hold.isForBlocked()
        ? new Reason.Holding(hold.pool().id(), hold.hold().waitsFor(), hold.hold().expectedStart())
        : new Reason.WaitingForVictims(hold.pool().id(), hold.hold().waitsFor());
  }

  /// Emits the reasons of lanes that changed since the last report.
  static void emit(World world, Transitions transitions, boolean structureChanged) {
    world.routeGroups.values().forEach(RouteGroup::noteSupplyBlock);
    Obstacles obstacles = world.obstacles();
    for (QueueState queue : world.queues.values()) {
      for (Lane lane : queue.lanes()) {
        emit(world, queue, lane, transitions, structureChanged, obstacles);
      }
    }
  }

  private static void emit(
      World world,
      QueueState queue,
      Lane lane,
      Transitions transitions,
      boolean structureChanged,
      Obstacles obstacles) {
    Block block = lane.blockAsNoted();
    // The holder or the pool asked for may change while the block stays. So may holds in a limit.
    boolean movable =
        block == Block.HOLD
            || block == Block.HEADROOM
            || block == Block.PROVIDER
            || lane.isRestricted()
            || lane.reported().reason() instanceof Reason.SetAside
            || HeldInLimit.mayBeNews(lane, block)
            || someSetAside(lane, block);
    if (block == lane.reported().block() && !structureChanged && !movable) {
      return;
    }
    Reason before = lane.reported().reason();
    Reason reason = of(world, queue, lane, lane.routes(), block, obstacles);
    lane.setReported(new ReportedReason(block, reason));
    if (reason != null && (before == null || !reason.isSameCause(before))) {
      transitions.emit(new Effect.LaneReasonChanged(lane.id(), reason));
    }
  }

  private static boolean someSetAside(Lane lane, Block block) {
    return (block == Block.CAPACITY || block == Block.FRAGMENTATION)
        && Shortage.someSetAside(lane.routes().getFirst().pool());
  }

  /// @param routes that are open to the job that the lane's jobs wait with
  private static @Nullable Reason of(
      World world,
      QueueState queue,
      Lane lane,
      List<Route> routes,
      Block block,
      Obstacles obstacles) {
    if (block == Block.NEVER_FITS) {
      return new Reason.NeverFits(lane.denial().orElseThrow());
    }
    if (block == Block.CLOSED) {
      return queue.closing().isPresent()
          ? new Reason.Budget(queue.closing().get())
          : new Reason.QueueClosed(queue.id());
    }
    if (isInReservation(block) && spent(queue).isPresent()) {
      return new Reason.Budget(spent(queue).get());
    }
    PolicyAccount account = queue.account();
    GpuQuantity need = new GpuQuantity(queue.need());
    return switch (block) {
      case LIMIT -> limit(world, queue, lane, routes, obstacles);
      case DEPARTMENT_LIMIT -> departmentLimit(world, queue, lane, routes, obstacles);
      case USER_LIMIT -> HeldInLimit.orUserLimit(world, queue, lane.user().orElseThrow());
      case OVER_RESERVATION -> overReservationDenied(queue, account, need);
      case NON_PREEMPTIBLE -> nonPreemptible(queue, account, need);
      case TENANT_NON_PREEMPTIBLE -> {
        TenantAccount tenant = firstShared(queue).tenant();
        yield new Reason.TenantNonPreemptible(
            tenant.tenant(),
            tenant.pool(),
            gpus(tenant.nonPreemptible()),
            need,
            gpus(tenant.reservation()));
      }
      case TENANT_LIMIT -> {
        TenantAccount tenant = routes.getFirst().tenant();
        Reason limit =
            new Reason.TenantLimit(
                tenant.tenant(), tenant.pool(), gpus(tenant.used()), need, gpus(tenant.limit()));
        yield tenant.used() + queue.need() > tenant.limit()
            ? limit
            : HeldInLimit.ofTenant(world, tenant, limit);
      }
      case HEADROOM -> HeldInLimit.ofHeadroom(queue, lane.line().first());
      case HOLD -> {
        Route first = routes.getFirst();
        yield new Reason.Hold(
            first.pool().id(), need, first.ranking().holderInTheWay().orElseThrow());
      }
      case PROVIDER ->
          new Reason.WaitingForProvider(
              Objects.requireNonNull(lane.expects(), "no provider was asked for an instance").id(),
              need);
      case POOL_CAPACITY, CAPACITY, FRAGMENTATION ->
          supply(lane, routes.getFirst(), queue.shape(), need, block, obstacles);
      case NEVER_FITS, CLOSED, NONE -> null;
    };
  }

  private static Reason limit(
      World world, QueueState queue, Lane lane, List<Route> routes, Obstacles obstacles) {
    PolicyAccount account = queue.account();
    Reason limit =
        new Reason.Limit(
            account.id(), gpus(account.used()), gpus(queue.need()), gpus(account.limit()));
    if (account.used() + queue.need() > account.limit()) {
      return limit;
    }
    // Rights go before holds.
    Reason otherRight = of(world, queue, lane, routes, lane.gateBesidesLimit(), obstacles);
    return otherRight == null ? HeldInLimit.ofPolicy(world, account, limit) : otherRight;
  }

  private static Reason departmentLimit(
      World world, QueueState queue, Lane lane, List<Route> routes, Obstacles obstacles) {
    DepartmentAccount department = Levels.full(queue.account(), queue.need()).orElseThrow();
    Reason limit =
        new Reason.DepartmentLimit(
            department.id(), gpus(department.used()), gpus(queue.need()), gpus(department.limit()));
    if (department.used() + queue.need() > department.limit()) {
      return limit;
    }
    // Rights go before holds.
    Reason otherRight = of(world, queue, lane, routes, lane.gateBesidesLimits(), obstacles);
    return otherRight == null ? HeldInLimit.ofDepartment(world, department, limit) : otherRight;
  }

  /// Whether the job has to stay inside a reservation.
  private static boolean isInReservation(Block block) {
    return block == Block.OVER_RESERVATION
        || block == Block.NON_PREEMPTIBLE
        || block == Block.TENANT_NON_PREEMPTIBLE;
  }

  private static Optional<SpentBudget> spent(QueueState queue) {
    return queue.account().policy().flatMap(Policy::spent);
  }

  private static Reason overReservationDenied(
      QueueState queue, PolicyAccount account, GpuQuantity need) {
    if (!queue.isEntitled()) {
      return new Reason.OverReservationDenied(
          account.id(), gpus(account.usageWithoutStopping()), need, gpus(account.reservation()));
    }
    Optional<DepartmentAccount> denying = Levels.denying(account, queue.need());
    if (denying.isPresent()) {
      DepartmentAccount department = denying.get();
      return new Reason.DepartmentOverReservationDenied(
          department.id(), gpus(department.protectedUsage()), need, gpus(department.reservation()));
    }
    TenantAccount tenant = firstShared(queue).tenant();
    return new Reason.TenantOverReservationDenied(
        tenant.tenant(),
        tenant.pool(),
        gpus(tenant.protectedUsage()),
        need,
        gpus(tenant.reservation()));
  }

  private static Reason nonPreemptible(QueueState queue, PolicyAccount account, GpuQuantity need) {
    if (!account.admitsNonPreemptible(queue.need())) {
      return new Reason.NonPreemptible(
          account.id(), gpus(account.nonPreemptible()), need, gpus(account.reservation()));
    }
    DepartmentAccount department =
        Levels.denyingNonPreemptible(account, queue.need()).orElseThrow();
    return new Reason.DepartmentNonPreemptible(
        department.id(), gpus(department.nonPreemptible()), need, gpus(department.reservation()));
  }

  private static Route firstShared(QueueState queue) {
    for (Route route : queue.routes()) {
      if (route.tenant().isBound()) {
        return route;
      }
    }
    throw new IllegalStateException("no pool with a tenant share serves " + queue.id());
  }

  private static Reason supply(
      Lane lane, Route first, Shape shape, GpuQuantity need, Block block, Obstacles obstacles) {
    PoolState pool = first.pool();
    Optional<Reason> setAside =
        block == Block.POOL_CAPACITY ? Optional.empty() : setAside(pool, shape, need);
    if (setAside.isPresent()) {
      return setAside.get();
    }
    return switch (block) {
      case POOL_CAPACITY ->
          new Reason.PoolCapacity(pool.id(), gpus(pool.usedUnits()), need, gpus(pool.ceiling()));
      case CAPACITY ->
          new Reason.Capacity(
              pool.id(), need, gpus(pool.idleUnits()), obstacle(lane, first, obstacles));
      default ->
          new Reason.Fragmentation(
              pool.id(),
              need,
              gpus(pool.idleUnits()),
              Shortage.dimension(pool, shape),
              obstacle(lane, first, obstacles));
    };
  }

  /// The obstacle of the lane's head, if it is entitled and so would preempt.
  private static Optional<Obstacle> obstacle(Lane lane, Route first, Obstacles obstacles) {
    LiveJob head = lane.line().first();
    if (!lane.account().isEntitled(first.need())
        || first.upper().denying(first.need()) != null
        || first.need() == 0) {
      return Optional.empty();
    }
    return head.preemptsFrom().isAfter(obstacles.now())
        ? Optional.of(Obstacle.before(head.preemptsFrom()))
        : obstacles.on(first, lane.account());
  }

  /// Nodes that are set aside, if there is room for the job on one of them.
  private static Optional<Reason> setAside(PoolState pool, Shape shape, GpuQuantity need) {
    NodeState first = null;
    int nodes = 0;
    for (NodeState node : Shortage.setAside(pool, shape)) {
      nodes++;
      first = first == null || until(node).isBefore(until(first)) ? node : first;
    }
    return first == null
        ? Optional.empty()
        : Optional.of(new Reason.SetAside(pool.id(), need, first.id(), nodes, until(first)));
  }

  private static Instant until(NodeState node) {
    return node.rejections().asideUntil().orElse(Instant.MAX);
  }

  static GpuQuantity gpus(long units) {
    return new GpuQuantity(units);
  }
}
