package io.headgate.scheduler.core;

import static io.headgate.scheduler.core.Reasons.gpus;

import io.headgate.scheduler.core.catalog.DepartmentId;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.explain.Reason;
import io.headgate.scheduler.core.job.HeadroomScope.Bound;
import io.headgate.scheduler.core.queue.Block;
import io.headgate.scheduler.core.queue.HeadroomGuard;
import io.headgate.scheduler.core.queue.HeadroomLimit;
import io.headgate.scheduler.core.queue.Lane;
import io.headgate.scheduler.core.queue.LiveHold;
import io.headgate.scheduler.core.queue.LiveJob;
import io.headgate.scheduler.core.queue.QueueState;
import io.headgate.scheduler.core.rights.Account;
import io.headgate.scheduler.core.rights.DepartmentAccount;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.TenantAccount;
import io.headgate.type.GpuQuantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Finds the holds that fill a limit where use alone would leave room for a job.
final class HeldInLimit {
  private HeldInLimit() {}

  /// Whether a limit blocks the lane, and holds count in it or did so when its reason was reported.
  static boolean mayBeNews(Lane lane, Block block) {
    Reason reported = lane.reported().reason();
    return switch (block) {
      case LIMIT -> lane.account().held() > 0 || !(reported instanceof Reason.Limit);
      case USER_LIMIT -> lane.account().held() > 0 || !(reported instanceof Reason.UserLimit);
      case DEPARTMENT_LIMIT ->
          isHeldAbove(lane.account()) || !(reported instanceof Reason.DepartmentLimit);
      case TENANT_LIMIT ->
          lane.routes().getFirst().tenant().held() > 0 || !(reported instanceof Reason.TenantLimit);
      default -> false;
    };
  }

  /// @param limit the reason with the numbers of use alone
  static Reason ofPolicy(World world, PolicyAccount account, Reason limit) {
    return of(limit, account, first(world, hold -> hold.policy() == account));
  }

  private static boolean isHeldAbove(PolicyAccount account) {
    Optional<DepartmentAccount> each = account.department();
    while (each.isPresent() && each.get().held() == 0) {
      each = each.get().parent();
    }
    return each.isPresent();
  }

  /// @param limit the reason with the numbers of use alone
  static Reason ofDepartment(World world, DepartmentAccount account, Reason limit) {
    return of(limit, account, first(world, hold -> hold.levels().isBelow(account)));
  }

  /// @param limit the reason with the numbers of use alone
  static Reason ofTenant(World world, TenantAccount account, Reason limit) {
    return of(limit, account, first(world, hold -> hold.tenant() == account));
  }

  private static Reason of(Reason limit, Account account, @Nullable LiveJob holder) {
    if (holder == null) {
      throw new IllegalStateException("nothing is held in " + limit);
    }
    return new Reason.HeldInLimit(
        limit, gpus(account.charged() - account.used()), holder.id(), Optional.empty());
  }

  /// The limit of a user, or the holds of that user in it.
  static Reason orUserLimit(World world, QueueState queue, UserId user) {
    PolicyAccount account = queue.account();
    // A job that moves (P11) counts once for its user, by its attempt.
    Predicate<LiveHold> isTheirs =
        hold ->
            hold.policy() == account
                && hold.job().user().equals(user)
                && !hold.isClaimedByAttempt();
    long held = 0;
    for (LiveHold hold : world.holds.values()) {
      held += isTheirs.test(hold) ? hold.claim().units() : 0;
    }
    long used = account.charged(user) - held;
    Reason limit =
        new Reason.UserLimit(
            account.id(), user, gpus(used), gpus(queue.need()), gpus(account.perUserLimit()));
    LiveJob holder = first(world, isTheirs);
    return holder == null || used + queue.need() > account.perUserLimit()
        ? limit
        : new Reason.HeldInLimit(limit, gpus(held), holder.id(), Optional.empty());
  }

  /// The headroom that another job holds (O7), with the numbers of the limit.
  static Reason ofHeadroom(QueueState queue, LiveJob job) {
    HeadroomGuard guard = HeadroomGuard.stopping(job, queue);
    if (guard == null) {
      throw new IllegalStateException("no headroom is held before " + job);
    }
    LiveJob holder = guard.holder();
    TenantAccount tenant = guard.limit().tenant().orElse(null);
    // In a tenant's limit, jobs stay stopped while use alone leaves them no room.
    if (tenant != null
        && guard.limit().scope().bound() == Bound.LIMIT
        && tenant.used() + queue.need() > tenant.limit()) {
      return new Reason.TenantLimit(
          tenant.tenant(),
          tenant.pool(),
          gpus(tenant.used()),
          gpus(queue.need()),
          gpus(tenant.limit()));
    }
    return new Reason.HeldInLimit(
        limit(guard.limit(), queue.need()),
        gpus(holder.queue().need()),
        holder.id(),
        Optional.of(guard.hold().passableUntil()));
  }

  private static Reason limit(HeadroomLimit limit, long units) {
    PolicyId policy = limit.policy().id();
    GpuQuantity need = gpus(units);
    GpuQuantity most = gpus(limit.most());
    GpuQuantity used = gpus(limit.used());
    if (limit.tenant().isPresent()) {
      return limitOfTenant(limit, limit.tenant().get(), need);
    }
    Optional<DepartmentId> department = limit.department().map(DepartmentAccount::id);
    return switch (limit.scope().bound()) {
      case LIMIT ->
          department.isPresent()
              ? new Reason.DepartmentLimit(department.get(), used, need, most)
              : new Reason.Limit(policy, used, need, most);
      case USER_LIMIT -> new Reason.UserLimit(policy, limit.job().user(), used, need, most);
      case RESERVATION ->
          department.isPresent()
              ? new Reason.DepartmentOverReservationDenied(department.get(), used, need, most)
              : new Reason.OverReservationDenied(policy, used, need, most);
      case NON_PREEMPTIBLE ->
          department.isPresent()
              ? new Reason.DepartmentNonPreemptible(department.get(), used, need, most)
              : new Reason.NonPreemptible(policy, used, need, most);
    };
  }

  private static Reason limitOfTenant(HeadroomLimit limit, TenantAccount tenant, GpuQuantity need) {
    GpuQuantity most = gpus(limit.most());
    GpuQuantity used = gpus(limit.used());
    return switch (limit.scope().bound()) {
      case LIMIT, USER_LIMIT ->
          new Reason.TenantLimit(tenant.tenant(), tenant.pool(), used, need, most);
      case RESERVATION ->
          new Reason.TenantOverReservationDenied(tenant.tenant(), tenant.pool(), used, need, most);
      case NON_PREEMPTIBLE ->
          new Reason.TenantNonPreemptible(tenant.tenant(), tenant.pool(), used, need, most);
    };
  }

  /// The holder that is first in the order of its queue; null: no such hold.
  private static @Nullable LiveJob first(World world, Predicate<LiveHold> which) {
    LiveJob first = null;
    List<LiveHold> holds = new ArrayList<>(world.holds.values());
    holds.addAll(world.returningPlaces.values());
    for (LiveHold hold : holds) {
      if (which.test(hold) && (first == null || LiveJob.ORDER.compare(hold.job(), first) < 0)) {
        first = hold.job();
      }
    }
    return first;
  }
}
