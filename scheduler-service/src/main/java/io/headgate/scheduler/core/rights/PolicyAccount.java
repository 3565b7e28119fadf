package io.headgate.scheduler.core.rights;

import io.headgate.scheduler.core.catalog.Policy;
import io.headgate.scheduler.core.catalog.PolicyId;
import io.headgate.scheduler.core.catalog.PreemptWithin;
import io.headgate.scheduler.core.catalog.PreemptionOutcome;
import io.headgate.scheduler.core.catalog.UserId;
import io.headgate.scheduler.core.job.PastUse;
import io.headgate.scheduler.core.job.PreemptionGrounds;
import io.headgate.type.GpuQuantity;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One policy's rights and usage over all its pools.
public final class PolicyAccount extends Account {
  private final PolicyId id;
  private final PastUse.Level level;
  private @Nullable Policy policy;

  /// Null while users are not limited: most policies do not, and counting costs time at every
  /// start.
  private @Nullable Map<UserId, Long> chargedByUser;

  private int attempts;

  /// The department that it is directly below; null: it has none.
  private @Nullable DepartmentAccount department;

  public PolicyAccount(PolicyId id) {
    this.id = id;
    this.level = new PastUse.Level.OfPolicy(id);
  }

  public PolicyId id() {
    return id;
  }

  /// Absent when the policy is not provisioned: it has no rights, and whatever it still uses is
  /// over-reservation.
  public Optional<Policy> policy() {
    return Optional.ofNullable(policy);
  }

  public void configure(@Nullable Policy newPolicy) {
    policy = newPolicy;
    department = newPolicy == null ? null : department;
    changed();
  }

  /// The department that it is directly below.
  public Optional<DepartmentAccount> department() {
    return Optional.ofNullable(department);
  }

  @Nullable DepartmentAccount above() {
    return department;
  }

  /// Is below a department from now on, and counts there and above.
  void setDepartment(@Nullable DepartmentAccount newDepartment) {
    department = newDepartment;
    for (DepartmentAccount each = newDepartment; each != null; each = each.above()) {
      each.include(this);
    }
    changed();
  }

  /// Changes with the usage of the policy and of each department above it.
  public long versionWithDepartments() {
    long version = version();
    for (DepartmentAccount each = department; each != null; each = each.above()) {
      version += each.version();
    }
    return version;
  }

  @Override
  public long protectedUsage() {
    return Math.min(usageWithoutStopping(), reservation());
  }

  @Override
  public long reservation() {
    return policy == null ? 0 : policy.presentReservation().units();
  }

  @Override
  public long limit() {
    return policy == null ? 0 : policy.limit().units();
  }

  public PreemptionOutcome onPreempt() {
    return policy == null ? PreemptionOutcome.REQUEUE : policy.onPreempt();
  }

  /// How long its jobs wait before they preempt (P2).
  public Duration preemptAfter() {
    return policy == null ? Duration.ZERO : policy.preemptAfter();
  }

  public Duration minRuntime() {
    return policy == null ? Duration.ZERO : policy.minRuntime();
  }

  /// The limit of one user; [Long#MAX_VALUE] when users are not limited.
  public long perUserLimit() {
    return policy == null
        ? Long.MAX_VALUE
        : policy.perUserLimit().map(GpuQuantity::units).orElse(Long.MAX_VALUE);
  }

  public boolean limitsUsers() {
    return policy != null && policy.perUserLimit().isPresent();
  }

  public int attempts() {
    return attempts;
  }

  /// The present usage and reservation, for the grounds of a preemption.
  public PreemptionGrounds.Share share() {
    return new PreemptionGrounds.Share(
        id, new GpuQuantity(usageWithoutStopping()), new GpuQuantity(reservation()));
  }

  /// The usage of one user's jobs and holds; 0 while users are not limited.
  public long charged(UserId user) {
    return chargedByUser == null ? 0 : chargedByUser.getOrDefault(user, 0L);
  }

  /// Whether users are limited and it is not known what each has, because until now they were not:
  /// then [#countUsers] must follow.
  public boolean mustCountUsers() {
    return limitsUsers() && chargedByUser == null;
  }

  /// Counts the use and holds of each user's jobs.
  public void countUsers(Iterable<Claim> claims) {
    chargedByUser = new HashMap<>();
    for (Claim claim : claims) {
      if (claim.units() != 0) {
        addToUser(chargedByUser, claim, 1);
      }
    }
  }

  /// Forgets it, if users are not limited any more.
  public void forgetUsers() {
    if (!limitsUsers()) {
      chargedByUser = null;
    }
  }

  /// Whether a job with this need would end at or below the policy's reservation, whatever the
  /// levels above reserve.
  public boolean isEntitled(long need) {
    return usageWithoutStopping() + need <= reservation();
  }

  /// Whether a job that needs `need` units stays within the limit (A2).
  public boolean hasRoom(long need) {
    return charged() + need <= limit();
  }

  /// Whether the user's job that needs `need` units stays within the limit of a user (A4).
  public boolean hasRoomForUser(UserId user, long need) {
    return charged(user) + need <= perUserLimit();
  }

  /// Whether a non-preemptible job that needs `need` units may start beside the others (A8).
  public boolean admitsNonPreemptible(long need) {
    return nonPreemptible() + need <= reservation();
  }

  /// Whether the user's jobs may use idle capacity above the limit (A2).
  public boolean mayExceedLimit(UserId user) {
    return policy != null && policy.exceedLimit().contains(user);
  }

  /// Whether its jobs may preempt each other (P9).
  public boolean preemptsWithin() {
    return policy != null && policy.preemptWithin() == PreemptWithin.LOWER_PRIORITY;
  }

  @Override
  public PastUse.Level level() {
    return level;
  }

  @Override
  int weight() {
    return policy == null ? 1 : policy.weight();
  }

  @Override
  public void start(Claim claim) {
    attempts++;
    super.start(claim);
  }

  @Override
  public void end(Claim claim, boolean wasStopping) {
    attempts--;
    super.end(claim, wasStopping);
  }

  @Override
  void charge(Claim claim, int sign) {
    super.charge(claim, sign);
    if (chargedByUser != null && claim.units() != 0) {
      addToUser(chargedByUser, claim, sign);
    }
  }

  private static void addToUser(Map<UserId, Long> charged, Claim claim, int sign) {
    charged.merge(
        claim.user(), sign * claim.units(), (a, b) -> a + b == 0 ? null : Long.valueOf(a + b));
  }
}
