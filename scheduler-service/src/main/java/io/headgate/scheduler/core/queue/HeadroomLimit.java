package io.headgate.scheduler.core.queue;

import io.headgate.scheduler.core.job.HeadroomScope;
import io.headgate.scheduler.core.job.HeadroomScope.Bound;
import io.headgate.scheduler.core.rights.Account;
import io.headgate.scheduler.core.rights.DepartmentAccount;
import io.headgate.scheduler.core.rights.PolicyAccount;
import io.headgate.scheduler.core.rights.TenantAccount;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One of the limits of a job, in whose scope it may hold headroom (O7): what counts in it, and for
/// which jobs.
///
/// | limit | what counts | jobs of the scope |
/// |---|---|---|
/// | of a policy, department or tenant (A2, A3) | all use, with stopping attempts and holds | all below the level |
/// | of a user (A4) | the user's use in the policy | the user's of the policy |
/// | reservation (A5) | a policy's use, a higher level's protected use | those below the level that add to it |
/// | reservation for non-preemptible jobs (A8) | their use | non-preemptible ones below the level |
///
/// Capacity that the job itself holds under O7 never counts. Capacity of other blocked jobs counts
/// where jobs are kept from headroom. It blocks no job: those jobs start in their turns.
///
/// A tenant's limits cover one pool: what counts is its use there, and a job may start in another.
public final class HeadroomLimit {
  private final HeadroomScope scope;
  private final LiveJob job;
  private final PolicyAccount policy;

  /// Sets it.
  private final Account level;

  private HeadroomLimit(HeadroomScope scope, LiveJob job, Account level) {
    this.scope = scope;
    this.job = job;
    this.policy = job.queue().account();
    this.level = level;
  }

  /// The limits of a job whose queue is provisioned that cover all its pools: those that stand in
  /// the way of its start, or would with more use.
  public static List<HeadroomLimit> of(LiveJob job) {
    QueueState queue = job.queue();
    List<HeadroomLimit> limits = new ArrayList<>();
    if (!queue.account().mayExceedLimit(job.user())) {
      limits.add(ofPolicy(Bound.LIMIT, job));
    }
    if (queue.account().limitsUsers()) {
      limits.add(ofPolicy(Bound.USER_LIMIT, job));
    }
    addDepartments(Bound.LIMIT, job, limits);
    if (!queue.overReservation()) {
      limits.add(ofPolicy(Bound.RESERVATION, job));
      addDepartments(Bound.RESERVATION, job, limits);
    }
    if (!job.isPreemptible()) {
      limits.add(ofPolicy(Bound.NON_PREEMPTIBLE, job));
      addDepartments(Bound.NON_PREEMPTIBLE, job, limits);
    }
    return limits;
  }

  private static HeadroomLimit ofPolicy(Bound bound, LiveJob job) {
    return new HeadroomLimit(HeadroomScope.ofPolicy(bound), job, job.queue().account());
  }

  private static void addDepartments(Bound bound, LiveJob job, List<HeadroomLimit> limits) {
    Optional<DepartmentAccount> each = job.queue().account().department();
    while (each.isPresent()) {
      DepartmentAccount department = each.get();
      limits.add(new HeadroomLimit(HeadroomScope.of(bound, department.id()), job, department));
      each = department.parent();
    }
  }

  /// The limits of the job's tenant in the pool of a route; none where tenants do not share it.
  public static List<HeadroomLimit> ofTenant(LiveJob job, Route route) {
    TenantAccount tenant = route.tenant();
    List<HeadroomLimit> limits = new ArrayList<>();
    if (tenant.isBound() && tenant.isLimited()) {
      limits.add(ofTenant(Bound.LIMIT, job, tenant));
    }
    if (tenant.isBound() && !job.queue().overReservation()) {
      limits.add(ofTenant(Bound.RESERVATION, job, tenant));
    }
    if (tenant.isBound() && !job.isPreemptible()) {
      limits.add(ofTenant(Bound.NON_PREEMPTIBLE, job, tenant));
    }
    return limits;
  }

  private static HeadroomLimit ofTenant(Bound bound, LiveJob job, TenantAccount tenant) {
    return new HeadroomLimit(HeadroomScope.ofTenant(bound, tenant.pool()), job, tenant);
  }

  /// The limits of the job that have one of the scopes.
  public static List<HeadroomLimit> of(LiveJob job, List<HeadroomScope> scopes) {
    List<HeadroomLimit> limits = of(job);
    for (Route route : job.queue().routes()) {
      limits.addAll(ofTenant(job, route));
    }
    limits.removeIf(limit -> !scopes.contains(limit.scope));
    return limits;
  }

  public HeadroomScope scope() {
    return scope;
  }

  /// The job whose limit it is.
  public LiveJob job() {
    return job;
  }

  public PolicyAccount policy() {
    return policy;
  }

  /// The department that sets it; empty: the policy or the tenant does.
  public Optional<DepartmentAccount> department() {
    return level instanceof DepartmentAccount department
        ? Optional.of(department)
        : Optional.empty();
  }

  /// The tenant that sets it, in one pool; empty: it covers all pools.
  public Optional<TenantAccount> tenant() {
    return level instanceof TenantAccount tenant ? Optional.of(tenant) : Optional.empty();
  }

  /// Whether jobs of several policies share it.
  public boolean isAbovePolicy() {
    return level != policy;
  }

  /// Counts the changes of the use of its level.
  public long version() {
    return level.version();
  }

  /// The level that sets it; equal limits of two jobs have the same key.
  ///
  /// @param user whose limit it is; null: it is not a user's
  public record Key(Account level, Bound bound, @Nullable Object user) {}

  public Key key() {
    return new Key(level, scope.bound(), scope.bound() == Bound.USER_LIMIT ? job.user() : null);
  }

  /// Units that count in it beside what the job holds.
  public long used() {
    LiveHold own = job.hold();
    return used(own == null ? 0 : heldForBlocked(own));
  }

  /// @param left units held under O7 that do not count
  private long used(long left) {
    return switch (scope.bound()) {
      case LIMIT ->
          level.used() - level.stopping() + Math.max(level.stopping(), level.held() - left);
      case USER_LIMIT -> policy.charged(job.user()) - left;
      case RESERVATION -> isAbovePolicy() ? level.protectedUsage() : policy.usageWithoutStopping();
      case NON_PREEMPTIBLE -> level.nonPreemptible() - left;
    };
  }

  /// The units that the hold adds to the limit, if O7 made it.
  private long heldForBlocked(LiveHold hold) {
    boolean counts =
        hold.isForBlocked()
            && !hold.isClaimedByAttempt()
            && isInScope(hold)
            && switch (scope.bound()) {
              case LIMIT, RESERVATION -> true;
              case USER_LIMIT -> hold.claim().user().equals(job.user());
              case NON_PREEMPTIBLE -> !hold.claim().preemptible();
            };
    return counts ? hold.claim().units() : 0;
  }

  /// Whether it leaves no room for its job even if blocked jobs held nothing (O7).
  ///
  /// @param holds at least all that blocked jobs have
  public boolean blocks(Collection<LiveHold> holds) {
    long left = 0;
    for (LiveHold hold : holds) {
      left += heldForBlocked(hold);
    }
    return job.queue().need() > most() - used(left);
  }

  /// The most that may count in it.
  public long most() {
    return switch (scope.bound()) {
      case LIMIT -> level.limit();
      case USER_LIMIT -> policy.perUserLimit();
      case RESERVATION, NON_PREEMPTIBLE -> level.reservation();
    };
  }

  /// Whether it leaves room for its job beside these units, the use and all holds of others.
  boolean leavesRoomBeside(long more) {
    return job.queue().need() + more <= most() - used();
  }

  /// Units that the start of another job adds to it, in the pool if it is a tenant's; 0 for a job
  /// outside the scope.
  public long addedBy(LiveJob other) {
    PolicyAccount account = other.queue().account();
    if (!isInScope(account)) {
      return 0;
    }
    long need = other.queue().need();
    return switch (scope.bound()) {
      case LIMIT -> need;
      case USER_LIMIT -> other.user().equals(job.user()) ? need : 0;
      case NON_PREEMPTIBLE -> other.isPreemptible() ? 0 : need;
      case RESERVATION ->
          switch (level) {
            case TenantAccount tenant -> tenant.addedToProtected(account, need);
            case DepartmentAccount _ -> addedToProtected(account, need);
            default -> need;
          };
    };
  }

  private static long addedToProtected(PolicyAccount account, long need) {
    return Math.min(account.usageWithoutStopping() + need, account.reservation())
        - account.protectedUsage();
  }

  /// Whether the attempt counts in it, as far as its policy and pool go.
  public boolean isInScope(LiveAttempt attempt) {
    return isInScope(attempt.policy()) && (tenant().isEmpty() || attempt.tenant() == level);
  }

  /// Whether the hold counts in it, as far as its policy and pool go.
  public boolean isInScope(LiveHold hold) {
    return isInScope(hold.policy()) && (tenant().isEmpty() || hold.tenant() == level);
  }

  /// Whether jobs of the policy are below its level, in some pool.
  public boolean isInScope(PolicyAccount account) {
    return switch (level) {
      case TenantAccount tenant -> account.id().tenant().equals(tenant.tenant());
      case DepartmentAccount department -> isBelow(account, department);
      default -> account == policy;
    };
  }

  private static boolean isBelow(PolicyAccount account, DepartmentAccount department) {
    Optional<DepartmentAccount> each = account.department();
    while (each.isPresent() && each.get() != department) {
      each = each.get().parent();
    }
    return each.isPresent();
  }
}
