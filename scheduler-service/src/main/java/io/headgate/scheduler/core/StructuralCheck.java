package io.headgate.scheduler.core;

import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.Queue;
import io.headgate.scheduler.core.explain.Denial;
import io.headgate.scheduler.core.explain.LaneId;
import io.headgate.scheduler.core.job.JobSpec;
import io.headgate.scheduler.core.placement.Inventory;
import io.headgate.scheduler.core.placement.PoolState;
import io.headgate.scheduler.core.placement.Shape;
import io.headgate.scheduler.core.queue.Lane;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.queue.ResolvedQueue;
import io.headgate.scheduler.core.queue.Route;
import io.headgate.scheduler.core.rights.DepartmentAccount;
import io.headgate.scheduler.core.rights.TenantAccount;
import io.headgate.type.GpuQuantity;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Can a job of this size and these rights ever start as things are configured, on nodes as they
/// are known?
final class StructuralCheck {
  private StructuralCheck() {}

  /// Finds the structural reasons of all lanes anew.
  static void renew(World world) {
    for (QueueState queue : world.queues.values()) {
      for (Lane lane : queue.lanes()) {
        lane.setDenial(denial(world, queue, lane.line().first().spec()));
      }
    }
  }

  /// Why such a job can never start as configured; empty: it may.
  static Optional<Denial> denial(World world, QueueState state, JobSpec job) {
    if (state.queue().isEmpty()) {
      return Optional.of(new Denial.UnknownQueue(state.id()));
    }
    Queue queue = state.queue().get();
    if (state.resolved().isEmpty()) {
      return Optional.of(
          world.account(queue.policy()).policy().isEmpty()
              ? new Denial.UnknownPolicy(queue.id(), queue.policy())
              : new Denial.UnknownProfile(queue.id(), queue.profile()));
    }
    boolean preemptible = state.laneOf(job).preemptible();
    return rights(state, job).or(() -> supply(state.resolved().get(), preemptible));
  }

  private static Optional<Denial> rights(QueueState state, JobSpec job) {
    Policy policy = state.account().policy().orElseThrow();
    GpuQuantity need = new GpuQuantity(state.need());
    LaneId lane = state.laneOf(job);
    if (need.compareTo(policy.limit()) > 0 && !lane.exceedsLimit()) {
      return Optional.of(new Denial.AboveLimit(policy.id(), need, policy.limit()));
    }
    if (policy.perUserLimit().isPresent() && need.compareTo(policy.perUserLimit().get()) > 0) {
      return Optional.of(
          new Denial.AboveUserLimit(policy.id(), job.user(), need, policy.perUserLimit().get()));
    }
    if (need.compareTo(policy.reservation()) > 0) {
      // By the configured reservation: a spent budget takes it for a while only.
      if (!state.overReservation()) {
        return Optional.of(new Denial.AboveReservation(policy.id(), need, policy.reservation()));
      }
      if (!lane.preemptible()) {
        return Optional.of(
            new Denial.NonPreemptibleAboveReservation(policy.id(), need, policy.reservation()));
      }
    }
    return departments(state, lane.preemptible(), need);
  }

  private static Optional<Denial> departments(
      QueueState state, boolean preemptible, GpuQuantity need) {
    // Reservations while budgets are spent say nothing about other times.
    boolean isYielding = state.account().policy().map(Policy::isYielding).orElse(false);
    Optional<DepartmentAccount> each = state.account().department();
    while (each.isPresent()) {
      DepartmentAccount department = each.get();
      if (need.units() > department.limit()) {
        GpuQuantity limit = new GpuQuantity(department.limit());
        return Optional.of(new Denial.AboveDepartmentLimit(department.id(), need, limit));
      }
      GpuQuantity reservation = new GpuQuantity(department.reservation());
      boolean isAbove = !isYielding && need.compareTo(reservation) > 0;
      if (isAbove && !state.overReservation()) {
        return Optional.of(
            new Denial.AboveDepartmentReservation(department.id(), need, reservation));
      }
      if (isAbove && !preemptible) {
        return Optional.of(
            new Denial.NonPreemptibleAboveDepartmentReservation(
                department.id(), need, reservation));
      }
      each = department.parent();
    }
    return Optional.empty();
  }

  private static Optional<Denial> supply(ResolvedQueue resolved, boolean preemptible) {
    List<Route> routes = resolved.routes();
    Shape shape = resolved.shape();
    if (routes.isEmpty()) {
      return Optional.of(new Denial.NoPool(resolved.profile().id(), resolved.account().id()));
    }
    Lack nearest = null;
    for (Route route : routes) {
      Lack lack = lack(resolved, route, shape, preemptible);
      if (lack == null) {
        return Optional.empty();
      }
      nearest = nearest == null || lack.part() > nearest.part() ? lack : nearest;
    }
    return Optional.ofNullable(nearest).map(Lack::denial);
  }

  /// Why the job never fits in one pool.
  ///
  /// @param part the available part of the need; 1: enough of each resource, but not together
  private record Lack(Denial denial, double part) {
    Lack(Denial denial, long asked, long most) {
      this(denial, asked <= most ? 1 : most / (double) asked);
    }
  }

  /// The capability that the pool lacks; null: none.
  private static @Nullable Lack lack(
      ResolvedQueue resolved, Route route, Shape shape, boolean preemptible) {
    PoolState pool = route.pool();
    TenantAccount tenant = route.tenant();
    long units = shape.needUnits();
    GpuQuantity need = new GpuQuantity(units);
    if (!pool.everFits(shape)) {
      Inventory.Shortfall shortfall = Inventory.shortfall(pool.nodes(), shape);
      return new Lack(
          new Denial.NoNodeFits(
              resolved.profile().id(),
              pool.id(),
              shortfall.dimension(),
              shortfall.asked(),
              shortfall.most()),
          shortfall.asked(),
          shortfall.most());
    }
    if (units > pool.ceiling()) {
      return new Lack(
          new Denial.AbovePoolCapacity(pool.id(), need, new GpuQuantity(pool.ceiling())),
          units,
          pool.ceiling());
    }
    // Rule A3.
    if (units > tenant.limit()) {
      return new Lack(
          new Denial.AboveTenantLimit(
              tenant.tenant(), tenant.pool(), need, new GpuQuantity(tenant.limit())),
          units,
          tenant.limit());
    }
    boolean isYielding = resolved.account().policy().map(Policy::isYielding).orElse(false);
    return tenant.isBound() && !preemptible && !isYielding && units > tenant.reservation()
        ? new Lack(
            new Denial.NonPreemptibleAboveTenantReservation(
                tenant.tenant(), tenant.pool(), need, new GpuQuantity(tenant.reservation())),
            units,
            tenant.reservation())
        : null;
  }
}
